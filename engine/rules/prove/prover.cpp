#include "prove/prover.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>

#include "base/own_name.hpp"
#include "prove/evaluator.hpp"
#include "prove/find_name.hpp"
#include "prove/memo.hpp"
#include "syntax/words.hpp"

namespace kr::prove {
namespace {

constexpr OperationKind all_kinds[] = {OperationKind::kernel, OperationKind::memcpy,
                                       OperationKind::memset};

/// Known properties of a subject besides its name: its kind, and which `within` are true.
struct KnownContext {
  std::optional<OperationKind> kind;
  const std::vector<FormulaId>* within = nullptr;  // the true `within` formulas, sorted
};

/// Replaces known parts of formulas by constants.
auto substitution(Formulas& formulas, KnownContext known) {
  return Rewriter(formulas, [&formulas, known](FormulaId id, const Formula& formula) {
    if (!formula.uses_within && !formula.uses_operation) return id;
    if (formula.op == Op::operation) {
      return known.kind ? formulas.constant(formula.operation == *known.kind) : id;
    }
    if (formula.op != Op::within) return FormulaId{};
    if (known.within == nullptr) return id;
    return formulas.constant(std::binary_search(known.within->begin(), known.within->end(), id));
  });
}

/// Collects the `within` of formulas, or their `own`. Visits each shared part once.
class PartCollector {
 public:
  PartCollector(const Formulas& formulas, Op op) : formulas_(formulas), op_(op) {}

  void collect(FormulaId id) {
    const Formula& formula = formulas_.get(id);
    const bool uses = op_ == Op::within ? formula.uses_within : formula.uses_own;
    if (!uses || !seen_.insert(id).second) return;
    if (formula.op == op_) {
      found_.push_back(id);
      return;
    }
    for (const FormulaId operand : formula.operands) collect(operand);
  }
  /// Sorted.
  std::vector<FormulaId> take() && {
    std::ranges::sort(found_);
    return std::move(found_);
  }

 private:
  const Formulas& formulas_;
  Op op_;
  std::unordered_set<FormulaId> seen_;
  std::vector<FormulaId> found_;
};

/// Names that are their own name: they have none of what may begin arguments or end a type.
regex::Regex whole_own_names() {
  regex::Regex regex;
  regex::ByteSet set;
  for (const char byte : std::string_view("<( {")) set.set(static_cast<unsigned char>(byte));
  const auto begin = regex.nodes.add({.kind = regex::NodeKind::begin});
  const auto bytes = regex.nodes.add({.kind = regex::NodeKind::bytes, .set = ~set});
  const auto all = regex.add_repeat(bytes, 0, regex::Node::unbounded);
  const auto end = regex.nodes.add({.kind = regex::NodeKind::end});
  regex.root = regex.add(regex::NodeKind::sequence, {begin, all, end});
  return regex;
}

}  // namespace

class Prover::Impl {
 public:
  Impl(Formulas& formulas, Budget budget, ProofMemo* memo, Allowance* allowance)
      : formulas_(formulas),
        evaluator_(formulas),
        budget_(budget),
        memo_(memo),
        own_(budget.all),
        allowance_(allowance == nullptr ? own_ : *allowance) {}

  Formulas& formulas() noexcept { return formulas_; }
  const Allowance& allowance() const noexcept { return allowance_; }

  Finding find(FormulaId wanted, std::span<const FormulaId> excluded) {
    const Steps granted = allowance_.granted(budget_.states);
    Steps steps = granted;
    Finding finding = not_proven();
    if (!steps.gone()) finding = find(wanted, excluded, steps);
    allowance_.take(granted.work - steps.work);
    const bool short_of = granted.search < budget_.states || steps.work == 0;
    if (finding.answer == Answer::not_proven && short_of) allowance_.set_ran_out();
    return finding;
  }

  // Most excluded formulas are unrelated to the wanted one. So at first none is excluded; then
  // those that are true for the name found are added, until a name satisfies none of them. Such a
  // name is still a shortest one.
  Finding find(FormulaId wanted, std::span<const FormulaId> all_excluded, Steps& steps) {
    const std::vector<FormulaId> expanded = expand_large(all_excluded);
    const std::span<const FormulaId> excluded = expanded.empty() ? all_excluded : expanded;
    std::vector<FormulaId> chosen;
    Finding finding;
    for (size_t at_once = 1;; at_once *= 2) {
      charge(1 + excluded.size() / formulas_a_step, steps);
      finding = find_all(wanted, chosen, steps);
      if (!finding.found()) break;
      const size_t known = chosen.size();
      const Subject subject = evaluator_.subject_of(finding.witness);
      const bool many = excluded.size() >= many_formulas;
      if (many) evaluator_.find_texts(subject);
      const size_t evaluated = evaluator_.evaluated();
      for (const FormulaId id : excluded) {
        if (chosen.size() == known + at_once) break;
        const std::optional<bool> text = many ? evaluator_.text_in(id) : std::nullopt;
        if (text ? *text : evaluator_.holds(id, subject)) chosen.push_back(id);
      }
      charge((evaluator_.evaluated() - evaluated) / evaluated_a_step, steps);
      if (chosen.size() == known) break;
    }
    if (!finding.found()) return finding;
    for (const FormulaId id : excluded) {
      finding.witness.kind_matters |= traits_[id.index].uses_operation;
    }
    return finding;
  }

  bool holds(FormulaId id, const Witness& witness) {
    return evaluator_.holds(id, evaluator_.subject_of(witness));
  }

 private:
  /// The formulas listed, parts of formulas evaluated, and parts rewritten in the time of one step.
  static constexpr size_t formulas_a_step = 256;
  static constexpr size_t evaluated_a_step = 4;
  static constexpr size_t parts_a_step = 4;
  static void charge(size_t work, Steps& steps) { steps.take_work(work); }
  static Finding not_proven() {
    Finding finding;
    finding.answer = Answer::not_proven;
    return finding;
  }

  /// Replaces large disjunctions by their operands: few of these matter to a question. Empty if
  /// there are none.
  std::vector<FormulaId> expand_large(std::span<const FormulaId> excluded) {
    for (auto i = static_cast<uint32_t>(traits_.size()); i < formulas_.size(); ++i) {
      const Formula& formula = formulas_.get({i});
      const bool large = formula.op == Op::disjunction && formula.operands.size() >= many_formulas;
      traits_.push_back({large, formula.uses_operation});
    }
    const auto is_large = [this](FormulaId id) { return traits_[id.index].large; };
    std::vector<FormulaId> expanded;
    if (std::ranges::none_of(excluded, is_large)) return expanded;
    for (const FormulaId id : excluded) {
      if (is_large(id)) {
        const std::vector<FormulaId>& operands = formulas_.get(id).operands;
        expanded.insert(expanded.end(), operands.begin(), operands.end());
      } else {
        expanded.push_back(id);
      }
    }
    return expanded;
  }

  Finding find_all(FormulaId wanted, const std::vector<FormulaId>& excluded, Steps& steps) {
    bool kinds = formulas_.get(wanted).uses_operation;
    bool contexts = formulas_.get(wanted).uses_within;
    for (const FormulaId id : excluded) {
      kinds |= formulas_.get(id).uses_operation;
      contexts |= formulas_.get(id).uses_within;
    }
    Finding best;
    for (const OperationKind kind : all_kinds) {
      NameQuestion question{wanted, excluded};
      if (kinds) substitute(question, {kind, nullptr}, steps);
      Finding finding = contexts ? find_in_context(question, steps) : find_by_name(question, steps);
      finding.witness.kind = kinds ? kind : operation_kind_of(finding.witness.name);
      finding.witness.kind_matters = kinds;
      if (finding.found() || !kinds) return finding;
      if (finding.answer == Answer::not_proven) best.answer = Answer::not_proven;
    }
    return best;
  }

  void substitute(NameQuestion& question, KnownContext known, Steps& steps) {
    auto substituted = substitution(formulas_, known);
    question.wanted = substituted(question.wanted);
    for (FormulaId& id : question.excluded) id = substituted(id);
    charge(substituted.work() / parts_a_step, steps);
  }

  Finding find_by_name(const NameQuestion& question, Steps& steps) {
    Finding finding;
    if (question.wanted == formulas_.never()) return finding;
    NameFinding found = find_with_own(question, steps);
    finding.answer = found.answer;
    finding.witness.name = std::move(found.name);
    return finding;
  }

  /// A name with the function's own name in it. First among names that are their own name. If there
  /// is none, the two are treated as if any name could have any own name in it: then no pair proves
  /// that there is no name, and a pair is an answer if a name can be made of it.
  NameFinding find_with_own(const NameQuestion& question, Steps& steps) {
    PartCollector collector(formulas_, Op::own);
    collector.collect(question.wanted);
    for (const FormulaId id : question.excluded) collector.collect(id);
    const std::vector<FormulaId> owns = std::move(collector).take();
    if (owns.empty()) return find_name(question, steps);
    NameQuestion plain = replaced(
        question, [this](FormulaId id) { return formulas_.get(id).operands.front(); }, steps);
    if (!own_names_.valid()) own_names_ = formulas_.atom(whole_own_names());
    plain.wanted = formulas_.all({plain.wanted, own_names_});
    NameFinding best = find_name(plain, steps);
    if (best.answer == Answer::found && own_name(best.name) == best.name) return best;
    best = {};
    const bool all = owns.size() <= budget_.within;
    if (!all) best.answer = Answer::not_proven;
    for (const uint64_t choice : choices(owns.size(), all)) {
      charge(1, steps);
      if (steps.gone()) return {Answer::not_proven, {}};
      NameQuestion own{formulas_.always(), {}};
      std::vector<FormulaId> present;
      for (size_t i = 0; i < owns.size(); ++i) {
        const FormulaId inner = formulas_.get(owns[i]).operands.front();
        if (((choice >> i) & 1) != 0) {
          present.push_back(owns[i]);
          own.wanted = formulas_.all({own.wanted, inner});
        } else {
          own.excluded.push_back(inner);
        }
      }
      const NameQuestion whole = replaced(
          question,
          [&](FormulaId id) {
            return formulas_.constant(std::binary_search(present.begin(), present.end(), id));
          },
          steps);
      if (whole.wanted == formulas_.never()) continue;
      const NameFinding inside = find_name(own, steps);
      if (inside.answer == Answer::none) continue;
      const NameFinding name = find_name(whole, steps);
      if (name.answer == Answer::none) continue;
      best.answer = Answer::not_proven;
      if (inside.answer != Answer::found || name.answer != Answer::found) continue;
      for (std::string& made : names_with(inside.name, name.name)) {
        if (answers(question, made)) return {Answer::found, std::move(made)};
      }
    }
    return best;
  }
  static std::vector<std::string> names_with(const std::string& own, const std::string& name) {
    return {own, name, "void " + own + "<" + name + ">()", own + "(" + name + ")", own + name};
  }
  bool answers(const NameQuestion& question, const std::string& name) {
    Witness witness;
    witness.name = name;
    const Subject subject = evaluator_.subject_of(witness);
    return evaluator_.holds(question.wanted, subject) &&
           std::ranges::none_of(question.excluded,
                                [&](FormulaId id) { return evaluator_.holds(id, subject); });
  }
  /// With what `of` says for each `own`.
  template <class Of>
  NameQuestion replaced(NameQuestion question, const Of& of, Steps& steps) {
    Rewriter rewriter(formulas_, [&](FormulaId id, const Formula& formula) {
      if (!formula.uses_own) return id;
      return formula.op == Op::own ? of(id) : FormulaId{};
    });
    question.wanted = rewriter(question.wanted);
    for (FormulaId& id : question.excluded) id = rewriter(id);
    charge(rewriter.work() / parts_a_step, steps);
    return question;
  }

  NameFinding find_name(const NameQuestion& question, Steps& steps) {
    if (auto plain = without_search(question)) return std::move(*plain);
    if (memo_ == nullptr) return prove::find_name(formulas_, question, steps);
    Hash128 digest = formulas_.get(question.wanted).digest;
    for (const FormulaId id : question.excluded) digest.add(formulas_.get(id).digest);
    if (auto known = memo_->recall(digest, steps)) return std::move(*known);
    const Steps before = steps;
    NameFinding found = prove::find_name(formulas_, question, steps);
    memo_->keep(digest, found, before, {before.search - steps.search, before.work - steps.work});
    return found;
  }

  /// Answers questions about texts without a search: the shortest wanted text is the shortest name,
  /// and what matches a text matches all names that contain it.
  std::optional<NameFinding> without_search(const NameQuestion& question) {
    if (question.excluded.empty()) return shortest_text(question.wanted);
    const regex::Text* wanted = evaluator_.text_of(question.wanted);
    if (wanted == nullptr) return std::nullopt;
    for (const FormulaId id : question.excluded) {
      const regex::Text* other = evaluator_.text_of(id);
      if (other != nullptr && always_holds_in(*other, *wanted)) return NameFinding{};
    }
    return std::nullopt;
  }

  /// The shortest of the wanted texts; of equally short ones, the one that the search finds first.
  std::optional<NameFinding> shortest_text(FormulaId wanted) {
    if (const regex::Text* text = evaluator_.text_of(wanted))
      return NameFinding{Answer::found, text->bytes};
    if (formulas_.get(wanted).op != Op::disjunction) return std::nullopt;
    const regex::Text* best = nullptr;
    for (const FormulaId operand : formulas_.get(wanted).operands) {
      const regex::Text* text = evaluator_.text_of(operand);
      if (text == nullptr) return std::nullopt;
      const bool better =
          best == nullptr || text->bytes.size() < best->bytes.size() ||
          (text->bytes.size() == best->bytes.size() && reads_better(text->bytes, best->bytes));
      if (better) best = text;
    }
    return NameFinding{Answer::found, best->bytes};
  }

  /// Tries every choice of true `within`, the smallest first. Any names can enclose a subject, so a
  /// choice is possible if each of its `within` has a name that matches none of the others.
  Finding find_in_context(const NameQuestion& question, Steps& steps) {
    PartCollector collector(formulas_, Op::within);
    collector.collect(question.wanted);
    for (const FormulaId id : question.excluded) collector.collect(id);
    const std::vector<FormulaId> contexts = std::move(collector).take();
    const bool all = contexts.size() <= budget_.within;
    Finding best;
    if (!all) best.answer = Answer::not_proven;
    for (const uint64_t choice : choices(contexts.size(), all)) {
      charge(1, steps);
      if (steps.gone()) return not_proven();
      std::vector<FormulaId> present;
      std::vector<FormulaId> absent;
      for (size_t i = 0; i < contexts.size(); ++i) {
        (((choice >> i) & 1) != 0 ? present : absent).push_back(contexts[i]);
      }
      if (has_two_phases(present)) continue;
      NameQuestion substituted = question;
      substitute(substituted, {std::nullopt, &present}, steps);
      if (substituted.wanted == formulas_.never()) continue;
      const Finding enclosing = find_enclosing(present, absent, steps);
      if (enclosing.none()) continue;
      Finding finding = find_by_name(substituted, steps);
      if (finding.none()) continue;
      if (finding.answer == Answer::not_proven || enclosing.answer == Answer::not_proven) {
        best.answer = Answer::not_proven;
        continue;
      }
      finding.witness.within = enclosing.witness.within;
      finding.witness.around = enclosing.witness.around;
      return finding;
    }
    return best;
  }

  /// An operation has one phase.
  bool has_two_phases(const std::vector<FormulaId>& present) const {
    return std::ranges::count_if(present, [this](FormulaId id) {
             return formulas_.around(formulas_.get(id).around).starts_with("phase ");
           }) > 1;
  }

  static std::vector<uint64_t> choices(size_t count, bool all) {
    std::vector<uint64_t> result;
    if (!all) {
      result.push_back(0);
      for (size_t i = 0; i < std::min<size_t>(count, 64); ++i) result.push_back(uint64_t{1} << i);
      return result;
    }
    for (uint64_t choice = 0; choice < uint64_t{1} << count; ++choice) result.push_back(choice);
    std::ranges::stable_sort(
        result, [](uint64_t a, uint64_t b) { return std::popcount(a) < std::popcount(b); });
    return result;
  }

  /// Enclosing names for which exactly these `within` are true.
  Finding find_enclosing(const std::vector<FormulaId>& present,
                         const std::vector<FormulaId>& absent, Steps& steps) {
    Finding enclosing;
    enclosing.answer = Answer::found;
    const auto inner = [&](FormulaId id) {
      // An enclosing name has neither a type of operation nor enclosing names of its own.
      static const std::vector<FormulaId> nothing;
      auto substituted = substitution(formulas_, {std::nullopt, &nothing});
      const FormulaId result = substituted(formulas_.get(id).operands.front());
      charge(substituted.work() / parts_a_step, steps);
      return result;
    };
    for (const FormulaId id : present) {
      const uint32_t around = formulas_.get(id).around;
      std::vector<FormulaId> excluded;
      for (const FormulaId one : absent) {
        if (formulas_.get(one).around == around) excluded.push_back(inner(one));
      }
      const FormulaId wanted = inner(id);
      if (around != 0) {
        Finding name = find_by_name({wanted, excluded}, steps);
        if (!name.found()) {
          enclosing.answer = name.answer;
          return enclosing;
        }
        enclosing.witness.around.emplace_back(formulas_.around(around),
                                              std::move(name.witness.name));
        continue;
      }
      const bool there = std::ranges::any_of(
          enclosing.witness.within,
          [&](const std::string& name) { return evaluator_.holds_for_enclosing(wanted, name); });
      if (there) continue;
      Finding name = find_by_name({wanted, excluded}, steps);
      if (!name.found()) {
        enclosing.answer = name.answer;
        return enclosing;
      }
      enclosing.witness.within.push_back(std::move(name.witness.name));
    }
    return enclosing;
  }

  /// Properties of a Formula for fast access.
  struct Traits {
    bool large;  // a disjunction of many operands
    bool uses_operation;
  };
  /// With this many formulas, finding all texts at once is faster.
  static constexpr size_t many_formulas = 64;

  Formulas& formulas_;
  Evaluator evaluator_;
  FormulaId own_names_;  // names that are their own name
  Budget budget_;
  ProofMemo* memo_;
  Allowance own_;
  Allowance& allowance_;
  std::vector<Traits> traits_;  // by FormulaId
};

std::string to_string(const Witness& witness) {
  std::string text;
  // As a test states it: the phase, and the last of the ops, with its arguments if they matter.
  std::string op;
  for (const auto& [what, name] : witness.around) {
    if (what.starts_with("phase ")) {
      text += what + " ";
      continue;
    }
    op = "op " + syntax::quoted_text(name);
    const std::string_view with = "op with";
    if (what.starts_with(with)) op += what.substr(with.size());
  }
  if (!op.empty()) text += op + " ";
  if (witness.kind_matters && witness.kind != operation_kind_of(witness.name)) {
    text.append("@").append(to_string(witness.kind)).append(" ");
  }
  text += syntax::quoted_text(witness.name);
  const char* between = " within ";
  for (const std::string& name : witness.within) {
    text += between + syntax::quoted_text(name);
    between = ", ";
  }
  return text;
}

Prover::Prover(Formulas& formulas, Budget budget, ProofMemo* memo, Allowance* allowance)
    : impl_(std::make_unique<Impl>(formulas, budget, memo, allowance)) {}

Prover::~Prover() = default;

Formulas& Prover::formulas() noexcept {
  return impl_->formulas();
}

const Allowance& Prover::allowance() const noexcept {
  return impl_->allowance();
}

Finding Prover::find(FormulaId wanted, std::span<const FormulaId> excluded) {
  return impl_->find(wanted, excluded);
}

bool Prover::holds(FormulaId formula, const Witness& subject) const {
  return impl_->holds(formula, subject);
}

}  // namespace kr::prove
