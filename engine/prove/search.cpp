#include "prove/search.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace kr::prove {
namespace {

/// Whether a matched language makes the question easier to answer with a name, or harder.
enum Polarity : uint8_t { unused = 0, good = 1, bad = 2, mixed = 3 };

bool has(const std::vector<FormulaId>& sorted, FormulaId formula) {
  return std::binary_search(sorted.begin(), sorted.end(), formula);
}

/// Brings a question into its plainest form: what is excluded are no disjunctions, what is wanted
/// no conjunction with negations. False where no name can be an answer.
bool simplify(Formulas& formulas, NameQuestion& question) {
  while (true) {
    std::vector<FormulaId> pending(question.excluded.begin(), question.excluded.end());
    std::vector<FormulaId> needed{question.wanted};
    question.excluded.clear();
    const Formula wanted = formulas.get(question.wanted);
    if (wanted.op == Op::conjunction || wanted.op == Op::negation) {
      needed.clear();
      const std::vector<FormulaId> parts =
          wanted.op == Op::conjunction ? wanted.operands : std::vector{question.wanted};
      for (const FormulaId part : parts) {
        const Formula& one = formulas.get(part);
        (one.op == Op::negation ? pending : needed)
            .push_back(one.op == Op::negation ? one.operands.front() : part);
      }
    }
    bool again = false;
    while (!pending.empty()) {
      const FormulaId id = pending.back();
      pending.pop_back();
      const Formula& one = formulas.get(id);
      if (one.op == Op::never) continue;
      if (one.op == Op::always) return false;
      if (one.op == Op::disjunction) {
        pending.insert(pending.end(), one.operands.begin(), one.operands.end());
      } else if (one.op == Op::negation) {
        needed.push_back(one.operands.front());
        again = true;
      } else {
        question.excluded.push_back(id);
      }
    }
    std::sort(question.excluded.begin(), question.excluded.end());
    question.excluded.erase(std::unique(question.excluded.begin(), question.excluded.end()),
                            question.excluded.end());
    for (FormulaId& part : needed) {
      if (has(question.excluded, part)) return false;
      if (formulas.get(part).op != Op::disjunction) continue;
      std::vector<FormulaId> operands = formulas.get(part).operands;
      std::erase_if(operands, [&](FormulaId one) { return has(question.excluded, one); });
      part = formulas.any(std::move(operands));
    }
    question.wanted = formulas.all(std::move(needed));
    if (question.wanted == formulas.never()) return false;
    if (!again) return true;
  }
}

/// Puts a constant for a language.
class Substitution {
 public:
  Substitution(Formulas& formulas, LanguageId language, bool value)
      : formulas_(formulas), language_(language), value_(value) {}

  FormulaId operator()(FormulaId id) {
    const Formula formula = formulas_.get(id);  // the arena grows below
    if (formula.op == Op::atom) {
      return formula.language == language_ ? formulas_.constant(value_) : id;
    }
    if (formula.operands.empty()) return id;
    if (const auto known = known_.find(id); known != known_.end()) return known->second;
    std::vector<FormulaId> operands;
    for (const FormulaId operand : formula.operands) operands.push_back((*this)(operand));
    FormulaId result = id;
    if (operands != formula.operands) {
      result = formula.op == Op::negation      ? formulas_.negation(operands.front())
               : formula.op == Op::conjunction ? formulas_.all(std::move(operands))
                                               : formulas_.any(std::move(operands));
    }
    known_.emplace(id, result);
    return result;
  }

 private:
  Formulas& formulas_;
  LanguageId language_;
  bool value_;
  std::unordered_map<FormulaId, FormulaId> known_;
};

/// The polarities of all languages in a question.
class Polarities {
 public:
  Polarities(const Formulas& formulas, const NameQuestion& question, size_t languages)
      : formulas_(formulas), of_(languages, unused) {
    visit(question.wanted, good);
    for (const FormulaId id : question.excluded) visit(id, bad);
  }
  const std::vector<uint8_t>& of() const { return of_; }
  std::optional<LanguageId> first_mixed() const {
    const auto at = std::find(of_.begin(), of_.end(), mixed);
    if (at == of_.end()) return std::nullopt;
    return LanguageId{static_cast<uint32_t>(at - of_.begin())};
  }

 private:
  void visit(FormulaId id, Polarity polarity) {
    uint8_t& seen = seen_[id];
    if ((seen & polarity) != 0) return;
    seen |= polarity;
    const Formula& formula = formulas_.get(id);
    if (formula.op == Op::atom) of_[formula.language.index] |= polarity;
    const Polarity inner = formula.op != Op::negation ? polarity : polarity == good ? bad : good;
    for (const FormulaId operand : formula.operands) visit(operand, inner);
  }

  const Formulas& formulas_;
  std::vector<uint8_t> of_;
  std::unordered_map<FormulaId, uint8_t> seen_;
};

/// The question ready to be asked of sets of languages: nodes with operands first.
class Goal {
 public:
  Goal(const Formulas& formulas, const NameQuestion& question, size_t languages)
      : formulas_(formulas), kills_(languages, 0) {
    wanted_ = compile(question.wanted);
    for (const FormulaId id : question.excluded) {
      const Formula& formula = formulas.get(id);
      if (formula.op == Op::atom) {
        kills_[formula.language.index] = 1;
      } else {
        excluded_.push_back(compile(id));
      }
    }
    values_.resize(nodes_.size());
  }

  /// A language that alone makes the answer no.
  bool kills(uint32_t language) const { return kills_[language] != 0; }
  /// Nothing but kills and wanted languages: then there is little to ask.
  bool holds(const std::vector<char>& matched) {
    for (size_t i = 0; i < nodes_.size(); ++i) values_[i] = value(nodes_[i], matched) ? 1 : 0;
    if (values_[wanted_] == 0) return false;
    return std::none_of(excluded_.begin(), excluded_.end(),
                        [this](uint32_t node) { return values_[node] != 0; });
  }

 private:
  struct Node {
    Op op = Op::never;
    uint32_t language = 0;
    std::vector<uint32_t> operands;
  };
  uint32_t compile(FormulaId id) {
    if (const auto known = known_.find(id); known != known_.end()) return known->second;
    const Formula& formula = formulas_.get(id);
    Node node{formula.op, formula.language.index, {}};
    for (const FormulaId operand : formula.operands) node.operands.push_back(compile(operand));
    nodes_.push_back(std::move(node));
    const auto index = static_cast<uint32_t>(nodes_.size() - 1);
    known_.emplace(id, index);
    return index;
  }
  bool value(const Node& node, const std::vector<char>& matched) const {
    const auto holds = [this](uint32_t operand) { return values_[operand] != 0; };
    switch (node.op) {
      case Op::always:
        return true;
      case Op::atom:
        return matched[node.language] != 0;
      case Op::negation:
        return values_[node.operands.front()] == 0;
      case Op::conjunction:
        return std::all_of(node.operands.begin(), node.operands.end(), holds);
      case Op::disjunction:
        return std::any_of(node.operands.begin(), node.operands.end(), holds);
      default:
        return false;
    }
  }

  const Formulas& formulas_;
  std::vector<Node> nodes_;
  std::vector<char> values_;
  std::vector<char> kills_;
  uint32_t wanted_ = 0;
  std::vector<uint32_t> excluded_;
  std::unordered_map<FormulaId, uint32_t> known_;
};

struct StatesHash {
  size_t operator()(const std::pair<Side, States>& key) const noexcept {
    auto hash = static_cast<size_t>(key.first) + 0x9e3779b97f4a7c15U;
    for (const uint32_t state : key.second) hash = (hash ^ state) * 0x100000001b3U;
    return hash;
  }
};

/// A question in which every language is good or bad.
class Search {
 public:
  Search(const Formulas& formulas, const Automaton& automaton, const NameQuestion& question,
         std::vector<uint8_t> polarity, size_t longest, size_t& states)
      : automaton_(automaton),
        goal_(formulas, question, automaton.languages()),
        polarity_(std::move(polarity)),
        longest_(longest),
        budget_(states) {
    active_.assign(polarity_.size(), 0);
    best_.assign(polarity_.size(), 0);
    for (uint32_t i = 0; i < polarity_.size(); ++i) {
      active_[i] = polarity_[i] != unused ? 1 : 0;
      best_[i] = polarity_[i] == good ? 1 : 0;
      sides_matter_ |= active_[i] != 0 && automaton.has_edges(i);
    }
    ended_.assign(polarity_.size(), 0);
  }

  NameFinding run() {
    enter({}, Side::nothing, no_node, 0);
    // A name has at least one byte, where one will do.
    const bool empty_name = found_ == 0;
    found_ = no_node;
    States to;
    for (size_t at = 0; at < nodes_.size() && found_ == no_node; ++at) {
      if (depth(at) >= longest_) break;
      for (size_t c = 0; c < automaton_.classes() && found_ == no_node; ++c) {
        if (budget_ == 0) return {Answer::not_proven, {}};
        --budget_;
        automaton_.step(nodes_[at].states, nodes_[at].before, c, active_, to);
        enter(to, automaton_.side(c), static_cast<uint32_t>(at), c);
      }
    }
    if (found_ != no_node) return {Answer::found, name(found_)};
    if (empty_name) return {Answer::found, {}};
    return {Answer::none, {}};
  }

 private:
  struct Node {
    States states;
    Side before;
    uint32_t parent;
    uint32_t byte_class;
    uint32_t depth;
  };
  static constexpr uint32_t no_node = ~uint32_t{0};

  size_t depth(size_t node) const { return nodes_[node].depth; }

  /// Whether, from these states, the answer can still be a name: with every good language matched
  /// in the end, and no more bad ones than by now.
  bool hopeful(const States& states) {
    languages_.clear();
    for (const uint32_t state : states) {
      if (!automaton_.is_matched(state)) continue;
      const uint32_t language = automaton_.language_of(state);
      if (goal_.kills(language)) return false;
      if (polarity_[language] == bad) languages_.push_back(language);
    }
    if (languages_.empty()) return true;
    for (const uint32_t language : languages_) best_[language] = 1;
    const bool hope = goal_.holds(best_);
    for (const uint32_t language : languages_) best_[language] = 0;
    return hope;
  }

  bool ends_well(const States& states, Side before) {
    automaton_.matched_at_end(states, before, active_, languages_);
    for (const uint32_t language : languages_) {
      if (goal_.kills(language)) return false;
    }
    for (const uint32_t language : languages_) ended_[language] = 1;
    const bool well = goal_.holds(ended_);
    for (const uint32_t language : languages_) ended_[language] = 0;
    return well;
  }

  /// Whether X has come at least as far as Y in every language of a polarity.
  bool covers(const States& x, const States& y, uint8_t polarity) const {
    size_t j = 0;
    for (const uint32_t state : y) {
      const uint32_t language = automaton_.language_of(state);
      if (polarity_[language] != polarity) continue;
      const uint32_t matched = automaton_.matched(language);
      while (j < x.size() && x[j] < matched) ++j;
      if (j < x.size() && x[j] == matched) continue;
      size_t k = j;
      while (k < x.size() && x[k] < state) ++k;
      if (k == x.size() || x[k] != state) return false;
    }
    return true;
  }

  void enter(const States& states, Side before, uint32_t parent, size_t byte_class) {
    const Side key = parent == no_node ? Side::nothing : sides_matter_ ? before : Side::other;
    if (!seen_.emplace(key, states).second || !hopeful(states)) return;
    const std::vector<uint32_t>& others = by_side_[static_cast<size_t>(key)];
    const bool no_better = std::any_of(others.begin(), others.end(), [&](uint32_t other) {
      const States& before_it = nodes_[other].states;
      return covers(before_it, states, good) && covers(states, before_it, bad);
    });
    budget_ -= std::min(budget_, others.size() / 32);
    if (no_better) return;
    const uint32_t depth = parent == no_node ? 0 : nodes_[parent].depth + 1;
    nodes_.push_back({states, before, parent, static_cast<uint32_t>(byte_class), depth});
    const auto index = static_cast<uint32_t>(nodes_.size() - 1);
    by_side_[static_cast<size_t>(key)].push_back(index);
    if (ends_well(states, before)) found_ = index;
  }

  std::string name(uint32_t node) const {
    std::string bytes;
    for (; nodes_[node].parent != no_node; node = nodes_[node].parent) {
      bytes += static_cast<char>(automaton_.representative(nodes_[node].byte_class));
    }
    std::reverse(bytes.begin(), bytes.end());
    return bytes;
  }

  const Automaton& automaton_;
  Goal goal_;
  std::vector<uint8_t> polarity_;
  size_t longest_;
  size_t& budget_;
  std::vector<char> active_;
  std::vector<char> best_;           // good languages; scratch of hopeful
  std::vector<char> ended_;          // scratch of ends_well
  std::vector<uint32_t> languages_;  // scratch
  bool sides_matter_ = false;
  std::vector<Node> nodes_;
  std::array<std::vector<uint32_t>, 3> by_side_;
  std::unordered_set<std::pair<Side, States>, StatesHash> seen_;
  uint32_t found_ = no_node;
};

/// A language that is good in one place and bad in another is settled first, either way: with its
/// outcome part of the question it is one or the other.
NameFinding find(Formulas& formulas, const Automaton& automaton, NameQuestion question,
                 size_t longest, size_t& states) {
  if (states == 0) return {Answer::not_proven, {}};
  if (!simplify(formulas, question)) return {Answer::none, {}};
  const Polarities polarities(formulas, question, automaton.languages());
  const auto language = polarities.first_mixed();
  if (!language) {
    return Search(formulas, automaton, question, polarities.of(), longest, states).run();
  }
  --states;
  NameFinding best;
  for (const bool value : {false, true}) {
    Substitution substitute(formulas, *language, value);
    NameQuestion settled;
    settled.wanted = substitute(question.wanted);
    for (const FormulaId id : question.excluded) settled.excluded.push_back(substitute(id));
    const FormulaId atom = formulas.atom(*language);
    if (value) {
      settled.wanted = formulas.all({settled.wanted, atom});
    } else {
      settled.excluded.push_back(atom);
    }
    NameFinding finding = find(formulas, automaton, std::move(settled), longest, states);
    if (finding.answer == Answer::found) {
      longest = finding.name.size();
      if (best.answer != Answer::found || finding.name.size() < best.name.size()) best = finding;
    } else if (finding.answer == Answer::not_proven && best.answer == Answer::none) {
      best.answer = Answer::not_proven;
    }
  }
  return best;
}

}  // namespace

NameFinding find_name(Formulas& formulas, const Automaton& automaton, NameQuestion question,
                      size_t& states) {
  constexpr size_t any_length = ~size_t{0};
  return find(formulas, automaton, std::move(question), any_length, states);
}

}  // namespace kr::prove
