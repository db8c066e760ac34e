#include "prove/prover.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "prove/find_name.hpp"
#include "prove/memo.hpp"
#include "prove/needed_bytes.hpp"
#include "prove/rewrite.hpp"
#include "prove/texts.hpp"
#include "regex/nfa.hpp"

namespace kr::prove {
namespace {

constexpr OperationKind all_kinds[] = {OperationKind::kernel, OperationKind::memcpy,
                                       OperationKind::memset};

/// What is known of a subject besides its name: its kind, and which `within` hold.
struct Around {
  std::optional<OperationKind> kind;
  const std::vector<FormulaId>* held = nullptr;  // `within` formulas that hold, sorted
};

/// Constants for what is known, the same for all formulas it is given.
auto settling(Formulas& formulas, Around around) {
  return Rewriter(formulas, [&formulas, around](FormulaId id, const Formula& formula) {
    if (!formula.looks_within && !formula.asks_operation) return id;
    if (formula.op == Op::operation) {
      return around.kind ? formulas.constant(formula.operation == *around.kind) : id;
    }
    if (formula.op != Op::within) return FormulaId{};
    if (around.held == nullptr) return id;
    return formulas.constant(std::binary_search(around.held->begin(), around.held->end(), id));
  });
}

/// The `within` of a formula. Formulas share their parts, so each is visited once.
class WithinCollector {
 public:
  explicit WithinCollector(const Formulas& formulas) : formulas_(formulas) {}

  void collect(FormulaId id) {
    const Formula& formula = formulas_.get(id);
    if (!formula.looks_within || !seen_.insert(id).second) return;
    if (formula.op == Op::within) {
      found_.push_back(id);
      return;
    }
    for (const FormulaId operand : formula.operands) collect(operand);
  }
  /// Sorted.
  std::vector<FormulaId> take() && {
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  const Formulas& formulas_;
  std::unordered_set<FormulaId> seen_;
  std::vector<FormulaId> found_;
};

}  // namespace

class Prover::Impl {
 public:
  Impl(Formulas& formulas, Budget budget, ProofMemo* memo, Allowance* allowance)
      : formulas_(formulas),
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

  // Most of what is excluded has nothing to do with what is wanted. So it is left out at first, and
  // what the name found holds comes in; a name that holds none of it is as short as any.
  Finding find(FormulaId wanted, std::span<const FormulaId> given, Steps& steps) {
    const std::vector<FormulaId> opened = with_many_opened(given);
    const std::span<const FormulaId> excluded = opened.empty() ? given : opened;
    std::vector<FormulaId> chosen;
    Finding finding;
    for (size_t at_once = 1;; at_once *= 2) {
      charge(1 + excluded.size() / formulas_a_step, steps);
      finding = find_all(wanted, chosen, steps);
      if (!finding.found()) break;
      const size_t known = chosen.size();
      const Subject subject = subject_of(finding.witness, false);
      const bool many = excluded.size() >= many_formulas;
      if (many) find_texts(finding.witness.name);
      size_t evaluated = 0;
      for (const FormulaId id : excluded) {
        if (chosen.size() == known + at_once) break;
        const bool told = many && texts_of_[id.index] != no_text;
        evaluated += told ? 0 : 1;
        if (told ? texts_[texts_of_[id.index]] != 0 : holds(id, subject)) chosen.push_back(id);
      }
      charge(evaluated / evaluated_a_step, steps);
      if (chosen.size() == known) break;
    }
    if (!finding.found()) return finding;
    for (const FormulaId id : excluded) {
      finding.witness.kind_matters |= traits_[id.index].asks_operation;
    }
    return finding;
  }

  bool holds(FormulaId id, const Witness& witness) { return holds(id, subject_of(witness, false)); }

 private:
  /// So many formulas are looked at, evaluated, or parts of them gone through, in the time of a
  /// step.
  static constexpr size_t formulas_a_step = 256;
  static constexpr size_t evaluated_a_step = 8;
  static constexpr size_t parts_a_step = 4;
  static void charge(size_t work, Steps& steps) { steps.take_work(work); }
  static Finding not_proven() {
    Finding finding;
    finding.answer = Answer::not_proven;
    return finding;
  }

  /// With the operands of large disjunctions in their place: few of them matter to a question.
  /// Empty where there are none.
  std::vector<FormulaId> with_many_opened(std::span<const FormulaId> excluded) {
    for (auto i = static_cast<uint32_t>(traits_.size()); i < formulas_.size(); ++i) {
      const Formula& formula = formulas_.get({i});
      const bool large = formula.op == Op::disjunction && formula.operands.size() >= many_formulas;
      traits_.push_back({large, formula.asks_operation});
    }
    const auto is_large = [this](FormulaId id) { return traits_[id.index].large; };
    std::vector<FormulaId> opened;
    if (std::none_of(excluded.begin(), excluded.end(), is_large)) return opened;
    for (const FormulaId id : excluded) {
      if (is_large(id)) {
        const std::vector<FormulaId>& operands = formulas_.get(id).operands;
        opened.insert(opened.end(), operands.begin(), operands.end());
      } else {
        opened.push_back(id);
      }
    }
    return opened;
  }

  struct Subject {
    const Witness& witness;
    regex::ByteSet bytes;  // of its name
    bool enclosing;        // it stands round another
    uint32_t number;       // of no other subject
  };
  Subject subject_of(const Witness& witness, bool enclosing) {
    if (++subjects_ == 0) {  // numbers are used up: forget all that is known
      known_.clear();
      ++subjects_;
    }
    return {witness, bytes_of(witness.name), enclosing, subjects_};
  }

  /// Formulas share their parts: what is known of one for this subject is not worked out again.
  bool holds(FormulaId id, const Subject& subject) {
    if (formulas_.get(id).operands.empty()) return evaluate(id, subject);
    if (id.index >= known_.size()) known_.resize(formulas_.size());
    if (known_[id.index].subject != subject.number) {
      const bool value = evaluate(id, subject);
      known_[id.index] = {subject.number, value};
    }
    return known_[id.index].value;
  }

  bool evaluate(FormulaId id, const Subject& subject) {
    const Formula& formula = formulas_.get(id);
    const auto one = [&](FormulaId operand) { return holds(operand, subject); };
    switch (formula.op) {
      case Op::never:
        return false;
      case Op::always:
        return true;
      case Op::atom: {
        Language& language = this->language(formula.language);
        if ((language.needed & ~subject.bytes).any()) return false;
        if (!language.nfa) language.nfa = regex::Nfa::build(formulas_.language(formula.language));
        KR_CHECK(language.nfa.has_value());
        return language.nfa->search(subject.witness.name, scratch_);
      }
      case Op::operation:
        return !subject.enclosing && formula.operation == subject.witness.kind;
      case Op::within:
        return !subject.enclosing &&
               std::any_of(subject.witness.within.begin(), subject.witness.within.end(),
                           [&](const std::string& name) {
                             return holds_around(formula.operands.front(), name);
                           });
      case Op::negation:
        return !one(formula.operands.front());
      case Op::conjunction:
        return std::all_of(formula.operands.begin(), formula.operands.end(), one);
      case Op::disjunction:
        return std::any_of(formula.operands.begin(), formula.operands.end(), one);
    }
    return false;
  }

  bool holds_around(FormulaId id, const std::string& name) {
    Witness around;
    around.name = name;
    return holds(id, subject_of(around, true));
  }

  Finding find_all(FormulaId wanted, const std::vector<FormulaId>& excluded, Steps& steps) {
    bool kinds = formulas_.get(wanted).asks_operation;
    bool contexts = formulas_.get(wanted).looks_within;
    for (const FormulaId id : excluded) {
      kinds |= formulas_.get(id).asks_operation;
      contexts |= formulas_.get(id).looks_within;
    }
    Finding best;
    for (const OperationKind kind : all_kinds) {
      NameQuestion question{wanted, excluded};
      if (kinds) settle(question, {kind, nullptr}, steps);
      Finding finding = contexts ? find_in_context(question, steps) : find_by_name(question, steps);
      finding.witness.kind = kinds ? kind : operation_kind_of(finding.witness.name);
      finding.witness.kind_matters = kinds;
      if (finding.found() || !kinds) return finding;
      if (finding.answer == Answer::not_proven) best.answer = Answer::not_proven;
    }
    return best;
  }

  void settle(NameQuestion& question, Around around, Steps& steps) {
    auto settled = settling(formulas_, around);
    question.wanted = settled(question.wanted);
    for (FormulaId& id : question.excluded) id = settled(id);
    charge(settled.work() / parts_a_step, steps);
  }

  Finding find_by_name(const NameQuestion& question, Steps& steps) {
    Finding finding;
    if (question.wanted == formulas_.never()) return finding;
    NameFinding found = find_name(question, steps);
    finding.answer = found.answer;
    finding.witness.name = std::move(found.name);
    return finding;
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

  /// What needs no search where texts are wanted: the shortest of them is the shortest name; and
  /// what holds in a text holds in all names that have it.
  std::optional<NameFinding> without_search(const NameQuestion& question) {
    if (question.excluded.empty()) return shortest_text(question.wanted);
    const regex::Text* wanted = text_of(question.wanted);
    if (wanted == nullptr) return std::nullopt;
    for (const FormulaId id : question.excluded) {
      const regex::Text* other = text_of(id);
      if (other != nullptr && always_holds_in(*other, *wanted)) return NameFinding{};
    }
    return std::nullopt;
  }

  /// Of one text or of any of several; of equally short ones, that which the search finds first.
  std::optional<NameFinding> shortest_text(FormulaId wanted) {
    if (const regex::Text* text = text_of(wanted)) return NameFinding{Answer::found, text->bytes};
    if (formulas_.get(wanted).op != Op::disjunction) return std::nullopt;
    const regex::Text* best = nullptr;
    for (const FormulaId operand : formulas_.get(wanted).operands) {
      const regex::Text* text = text_of(operand);
      if (text == nullptr) return std::nullopt;
      const bool better =
          best == nullptr || text->bytes.size() < best->bytes.size() ||
          (text->bytes.size() == best->bytes.size() && reads_better(text->bytes, best->bytes));
      if (better) best = text;
    }
    return NameFinding{Answer::found, best->bytes};
  }

  /// Of an atom that is no more than a text.
  const regex::Text* text_of(FormulaId id) {
    const Formula& formula = formulas_.get(id);
    if (formula.op != Op::atom) return nullptr;
    const auto& text = language(formula.language).text;
    return text ? &*text : nullptr;
  }

  /// Finds the texts of the arena that are in a name, all at once.
  void find_texts(std::string_view name) {
    for (auto i = static_cast<uint32_t>(texts_of_.size()); i < formulas_.size(); ++i) {
      const regex::Text* text = text_of({i});
      texts_of_.push_back(no_text);
      if (text == nullptr || text->at_begin || text->at_end) continue;
      texts_of_.back() = static_cast<uint32_t>(texts_.size());
      text_index_.add(texts_of_.back(), *text);
      texts_.push_back(0);
    }
    for (const uint32_t text : in_name_) texts_[text] = 0;
    text_index_.find(name, in_name_);
    for (const uint32_t text : in_name_) texts_[text] = 1;
  }

  /// Every choice of which `within` hold, the fewest first. Names round a subject are any names, so
  /// a choice is possible when each of its `within` has a name that holds none of the others.
  Finding find_in_context(const NameQuestion& question, Steps& steps) {
    WithinCollector collector(formulas_);
    collector.collect(question.wanted);
    for (const FormulaId id : question.excluded) collector.collect(id);
    const std::vector<FormulaId> asked = std::move(collector).take();
    const bool all = asked.size() <= budget_.within;
    Finding best;
    if (!all) best.answer = Answer::not_proven;
    for (const uint64_t choice : choices(asked.size(), all)) {
      charge(1, steps);
      if (steps.gone()) return not_proven();
      std::vector<FormulaId> held;
      std::vector<FormulaId> absent;
      for (size_t i = 0; i < asked.size(); ++i) {
        (((choice >> i) & 1) != 0 ? held : absent).push_back(asked[i]);
      }
      NameQuestion settled = question;
      settle(settled, {std::nullopt, &held}, steps);
      if (settled.wanted == formulas_.never()) continue;
      const Finding around = names_around(held, absent, steps);
      if (around.none()) continue;
      Finding finding = find_by_name(settled, steps);
      if (finding.none()) continue;
      if (finding.answer == Answer::not_proven || around.answer == Answer::not_proven) {
        best.answer = Answer::not_proven;
        continue;
      }
      finding.witness.within = around.witness.within;
      return finding;
    }
    return best;
  }

  static std::vector<uint64_t> choices(size_t count, bool all) {
    std::vector<uint64_t> result;
    if (!all) {
      result.push_back(0);
      for (size_t i = 0; i < std::min<size_t>(count, 64); ++i) result.push_back(uint64_t{1} << i);
      return result;
    }
    for (uint64_t choice = 0; choice < uint64_t{1} << count; ++choice) result.push_back(choice);
    std::stable_sort(result.begin(), result.end(),
                     [](uint64_t a, uint64_t b) { return std::popcount(a) < std::popcount(b); });
    return result;
  }

  /// Enclosing names that make just these `within` hold.
  Finding names_around(const std::vector<FormulaId>& held, const std::vector<FormulaId>& absent,
                       Steps& steps) {
    Finding around;
    around.answer = Answer::found;
    const auto inner = [&](FormulaId id) {
      // Round a subject there are neither kinds of operation nor names round a name.
      static const std::vector<FormulaId> nothing;
      Around plain{std::nullopt, &nothing};
      auto settled = settling(formulas_, plain);
      const FormulaId result = settled(formulas_.get(id).operands.front());
      charge(settled.work() / parts_a_step, steps);
      return result;
    };
    std::vector<FormulaId> excluded;
    excluded.reserve(absent.size());
    for (const FormulaId id : absent) excluded.push_back(inner(id));
    for (const FormulaId id : held) {
      const FormulaId wanted = inner(id);
      const bool there =
          std::any_of(around.witness.within.begin(), around.witness.within.end(),
                      [&](const std::string& name) { return holds_around(wanted, name); });
      if (there) continue;
      Finding name = find_by_name({wanted, excluded}, steps);
      if (!name.found()) {
        around.answer = name.answer;
        return around;
      }
      around.witness.within.push_back(std::move(name.witness.name));
    }
    return around;
  }

  struct Language {
    regex::ByteSet needed;
    std::optional<regex::Text> text;  // where it is no more
    std::optional<regex::Nfa> nfa;    // made when it is first needed
  };
  /// Of a Formula, what is asked of very many at once.
  struct Traits {
    bool large;  // a disjunction of many
    bool asks_operation;
  };
  static constexpr uint32_t no_text = ~uint32_t{0};
  /// With as many, finding all texts at once is worth it.
  static constexpr size_t many_formulas = 64;

  Language& language(LanguageId id) {
    while (languages_.size() <= id.index) {
      const regex::Regex& regex = formulas_.language({static_cast<uint32_t>(languages_.size())});
      languages_.push_back({needed_bytes(regex), regex::text_of(regex), std::nullopt});
    }
    return languages_[id.index];
  }

  Formulas& formulas_;
  Budget budget_;
  ProofMemo* memo_;
  Allowance own_;
  Allowance& allowance_;
  std::deque<Language> languages_;  // by LanguageId; each stays where it is
  regex::Nfa::Scratch scratch_;
  struct Known {
    uint32_t subject = 0;  // its number; 0: of none
    bool value = false;
  };
  std::vector<Known> known_;  // by FormulaId, of those with operands
  uint32_t subjects_ = 0;
  std::vector<Traits> traits_;  // by FormulaId
  Texts text_index_;
  std::vector<uint32_t> texts_of_;  // by FormulaId: number of the text, or `no_text`
  std::vector<char> texts_;         // by number: in the name that was looked at last
  std::vector<uint32_t> in_name_;   // those that are
};

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
