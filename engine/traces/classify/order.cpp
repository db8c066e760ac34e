#include "classify/order.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_map>

#include "base/hash.hpp"
#include "base/interned.hpp"
#include "order/matcher.hpp"

namespace kr::classify {
namespace {

/// Which of the expressions hold: what the rules can tell of an operation.
using Signature = std::vector<uint64_t>;

struct SignatureHash {
  uint64_t operator()(const Signature& bits) const noexcept {
    return hash_bytes({reinterpret_cast<const char*>(bits.data()), bits.size() * sizeof(uint64_t)});
  }
};

/// The expressions of an order table, each once.
class Questions {
 public:
  Questions(const sema::Program& program, const sema::OrderTable& table) : program_(program) {
    for (const sema::ExprId expr : expressions(program, table)) {
      const auto [at, added] = number_of_.try_emplace(expr, conditions_.size());
      if (added) conditions_.emplace_back(program, expr);
    }
    sema::each_part(program, expressions(program, table), [&](const sema::Expr& part) {
      if (part.op == sema::ExprOp::label && part.word != sema::start_word &&
          part.word != sema::end_word &&
          std::ranges::find(words_, part.word) == words_.end()) {
        words_.push_back(part.word);
      }
      return part.op != sema::ExprOp::within;
    });
  }
  /// The labels that the expressions name.
  const std::vector<sema::WordId>& words() const noexcept { return words_; }
  Signature answers(const match::Subject& subject) const {
    Signature bits((conditions_.size() + 63) / 64);
    for (size_t i = 0; i < conditions_.size(); ++i) {
      if (conditions_[i].holds(subject)) bits[i / 64] |= uint64_t{1} << (i % 64);
    }
    return bits;
  }
  bool holds(const Signature& bits, sema::ExprId expr) const {
    if (!expr.valid()) return false;
    const size_t number = number_of_.at(expr);
    return ((bits[number / 64] >> (number % 64)) & 1) != 0;
  }

 private:
  const sema::Program& program_;
  std::vector<match::Condition> conditions_;
  std::unordered_map<sema::ExprId, size_t> number_of_;
  std::vector<sema::WordId> words_;
};

order::Block block_of(const sema::Program& program, const sema::OrderTable& table,
                      const Questions& questions, const std::vector<Signature>& letters) {
  order::Block block;
  block.letters = letters.size() - 2;
  const auto by_letter = [&](sema::ExprId expr) {
    std::vector<uint8_t> holds;
    holds.reserve(letters.size());
    for (size_t i = 0; i < block.letters; ++i) {
      holds.push_back(questions.holds(letters[i], expr) ? 1 : 0);
    }
    return holds;
  };
  std::unordered_map<sema::OrderScopeId, uint32_t> scopes;
  const auto scope_of = [&](sema::OrderScopeId id) {
    const auto [at, added] = scopes.try_emplace(id, static_cast<uint32_t>(block.scopes.size()));
    if (added) {
      const sema::OrderScope scope = id.valid() ? program.order_scopes.get(id) : sema::OrderScope{};
      block.scopes.push_back({by_letter(scope.ignore), by_letter(scope.continues)});
    }
    return at->second;
  };
  for (const sema::OrderScopeId scope : table.scopes) scope_of(scope);
  for (const sema::RuleId id : table.rules) {
    const sema::Rule& rule = program.rules.get(id);
    order::OrderRule made;
    if (!rule.chain) {
      made.letters = by_letter(rule.expr);
      block.rules.push_back(std::move(made));
      continue;
    }
    order::Chain chain;
    chain.first = rule.chain->first;
    chain.last = rule.chain->last;
    chain.scope = scope_of(rule.scope);
    chain.takes.resize(letters.size());
    for (size_t s = 0; s < rule.chain->steps.size(); ++s) {
      const sema::ChainStep& step = rule.chain->steps[s];
      chain.steps.push_back({step.optional, step.repeated});
      for (size_t i = 0; i < letters.size(); ++i) {
        if (questions.holds(letters[i], step.expr)) chain.takes[i] |= uint64_t{1} << s;
      }
    }
    made.chain = std::move(chain);
    block.rules.push_back(std::move(made));
  }
  return block;
}

/// The places of operations in the trace, stream by stream, each in the order in which it ran.
struct Streams {
  explicit Streams(const trace::Trace& trace) {
    // Of lanes of a display, the device is one stream.
    std::map<std::tuple<std::string, int32_t, int64_t>, uint32_t> known;
    std::vector<uint32_t> of_track;
    for (const trace::Track& track : trace.tracks) {
      const int64_t stream = trace.lost_streams.empty() ? track.stream : 0;
      const auto [at, added] = known.try_emplace({track.member, track.device, stream},
                                                 static_cast<uint32_t>(known.size()));
      of_track.push_back(at->second);
    }
    begins.assign(known.size() + 1, 0);
    for (const trace::Operation& one : trace.operations) ++begins[of_track[one.track.index] + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<uint32_t> next(begins.begin(), begins.end() - 1);
    places.resize(trace.operations.size());
    for (uint32_t i = 0; i < places.size(); ++i) {
      places[next[of_track[trace.operations[i].track.index]]++] = i;
    }
  }

  std::vector<uint32_t> places;
  std::vector<uint32_t> begins;  // of each stream in `places`, and their end
};

/// Rows of labels, each divided by the rules of one more dimension.
class Divided {
 public:
  Divided(size_t rows, size_t rules) : rules_(rules), number_((rows * rules), UINT32_MAX) {}
  /// `rule`: its place in the table; the last is that of no rule.
  uint32_t row(uint32_t before, uint32_t rule) {
    uint32_t& known = number_[before * rules_ + rule];
    if (known == UINT32_MAX) {
      known = static_cast<uint32_t>(rows.size());
      rows.push_back({before, rule});
    }
    return known;
  }
  struct Row {
    uint32_t before;
    uint32_t rule;
  };
  std::vector<Row> rows;

 private:
  size_t rules_;
  std::vector<uint32_t> number_;
};

class OrderLabels {
 public:
  OrderLabels(const TraceSubjects& subjects, bool keep_matches, Labelled& labelled)
      : subjects_(subjects),
        program_(subjects.program()),
        trace_(subjects.trace()),
        keep_matches_(keep_matches),
        labelled_(labelled),
        streams_(subjects.trace()) {}

  void add(const sema::OrderTable& table) {
    const DimensionLabels* over = labelled_.find(table.over);
    if (over == nullptr) return;  // such as `exchange`, of which this run has nothing
    const OrderRules rules(subjects_, table);
    order::Matcher matcher(rules.block());
    std::vector<uint32_t> word_of_row;
    word_of_row.reserve(labelled_.rows());
    for (const LabelResult& one : over->by_row) word_of_row.push_back(rules.word(one.label));

    std::vector<uint32_t> rule_of(trace_.operations.size());
    std::vector<order::Letter> letters;
    std::vector<uint32_t> found;
    for (size_t s = 0; s + 1 < streams_.begins.size(); ++s) {
      const auto places = std::span(streams_.places)
                              .subspan(streams_.begins[s], streams_.begins[s + 1] - streams_.begins[s]);
      letters.clear();
      for (const uint32_t place : places) {
        letters.push_back(rules.letter_of(subjects_.class_of(subjects_.of(place)),
                                          word_of_row[labelled_.row(place, trace_.operations[place])]));
      }
      order::OnMatch on_match;
      if (keep_matches_) {
        on_match = [&](const order::Match& match) {
          labelled_.matches.push_back(
              {table.rules[match.rule], places[match.first], places[match.last]});
        };
      }
      matcher.label(letters, found, on_match);
      for (size_t i = 0; i < places.size(); ++i) rule_of[places[i]] = found[i];
    }
    // A run of which the rules explain nothing does not have the dimension.
    if (std::ranges::all_of(rule_of, [](uint32_t rule) { return rule == order::no_rule; })) return;
    divide(table, *over, rule_of);
  }

 private:
  void divide(const sema::OrderTable& table, const DimensionLabels& over,
              const std::vector<uint32_t>& rule_of) {
    const auto none = static_cast<uint32_t>(table.rules.size());
    Divided divided(labelled_.rows(), table.rules.size() + 1);
    std::vector<uint32_t> row_of(trace_.operations.size());
    for (uint32_t i = 0; i < row_of.size(); ++i) {
      row_of[i] = divided.row(labelled_.row(i, trace_.operations[i]),
                              rule_of[i] == order::no_rule ? none : rule_of[i]);
    }
    DimensionLabels made{table.dimension, {}};
    std::vector<trace::NameId> names;
    for (const Divided::Row& row : divided.rows) {
      names.push_back(labelled_.names[row.before]);
      made.by_row.push_back(row.rule == none ? of_others(table, over, row.before)
                                             : label_result(program_, table.rules[row.rule], ""));
    }
    for (DimensionLabels& one : labelled_.dimensions) {
      std::vector<LabelResult> by_row;
      by_row.reserve(divided.rows.size());
      for (const Divided::Row& row : divided.rows) by_row.push_back(one.by_row[row.before]);
      one.by_row = std::move(by_row);
    }
    labelled_.dimensions.push_back(std::move(made));
    ++labelled_.order_dimensions;
    labelled_.names = std::move(names);
    labelled_.row_of = std::move(row_of);
  }

  /// `otherwise keep` keeps the label of the dimension that is looked at.
  LabelResult of_others(const sema::OrderTable& table, const DimensionLabels& over,
                        uint32_t row) const {
    if (!table.otherwise) return label_result(program_, std::nullopt, "");
    return label_result(program_, table.otherwise, over.by_row[row].label);
  }

  const TraceSubjects& subjects_;
  const sema::Program& program_;
  const trace::Trace& trace_;
  bool keep_matches_;
  Labelled& labelled_;
  Streams streams_;
};

}  // namespace

std::string no_order(const trace::Trace& trace) {
  if (trace.ncu) return "pages of ncu have no times";
  const auto in_sequence = [](const Warning& one) { return one.code == "times-in-sequence"; };
  if (std::ranges::any_of(trace.warnings, in_sequence)) return "the file has no times of operations";
  return {};
}

OrderRules::OrderRules(const TraceSubjects& subjects, const sema::OrderTable& table) {
  const sema::Program& program = subjects.program();
  const Questions questions(program, table);
  words_ = questions.words().size() + 1;
  for (size_t i = 0; i < questions.words().size(); ++i) {
    word_of_.emplace(program.words.get(questions.words()[i]).label, i + 1);
  }
  Interned<Signature, SignatureHash> known;
  letters_.resize(subjects.classes() * words_);
  subjects.each_class([&](uint32_t number, const match::Subject& subject) {
    for (size_t w = 0; w < words_; ++w) {
      match::Subject one = subject;
      if (w > 0) one.word = questions.words()[w - 1];
      letters_[number * words_ + w] = known.add(questions.answers(one));
    }
  });
  std::vector<Signature> all;
  for (uint32_t i = 0; i < known.size(); ++i) all.push_back(known[i]);
  const match::AtomSet none(program.atoms.size());
  for (const sema::WordId edge : {sema::start_word, sema::end_word}) {
    all.push_back(questions.answers({.name = &none, .word = edge}));
  }
  block_ = block_of(program, table, questions, all);
}

uint32_t OrderRules::word(std::string_view label) const {
  const auto at = word_of_.find(label);
  return at == word_of_.end() ? 0 : at->second;
}

void add_order_labels(const TraceSubjects& subjects, bool keep_matches, Labelled& labelled) {
  const sema::Model& model = subjects.program().models.get(labelled.model);
  if (model.order_tables.empty()) return;
  labelled.no_order = no_order(subjects.trace());
  if (!labelled.no_order.empty()) return;
  OrderLabels labels(subjects, keep_matches, labelled);
  for (const sema::OrderTable& table : model.order_tables) labels.add(table);
}

}  // namespace kr::classify
