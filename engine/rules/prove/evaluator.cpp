#include "prove/evaluator.hpp"

#include <algorithm>

#include "base/own_name.hpp"

namespace kr::prove {

Subject Evaluator::subject_of(const Witness& witness, bool enclosing) {
  if (++subjects_ == 0) {  // overflow: forget all values
    known_.clear();
    subject_of_texts_ = 0;
    ++subjects_;
  }
  return {witness, bytes_of(witness.name), enclosing, subjects_};
}

bool Evaluator::holds(FormulaId id, const Subject& subject) {
  ++evaluated_;
  if (formulas_.get(id).operands.empty()) return evaluate(id, subject);
  if (id.index >= known_.size()) known_.resize(formulas_.size());
  if (known_[id.index].subject != subject.number) {
    const bool value = evaluate(id, subject);
    known_[id.index] = {subject.number, value};
  }
  return known_[id.index].value;
}

bool Evaluator::evaluate(FormulaId id, const Subject& subject) {
  return value_of(
      formulas_.get(id), [&](FormulaId operand) { return holds(operand, subject); },
      [&](const Formula& formula) {
        if (formula.op == Op::atom) {
          if (subject.number == subject_of_texts_) {
            if (const auto known = text_in(id)) return *known;
          }
          return matches(formula.language, subject);
        }
        if (formula.op == Op::own) return holds_for_own(formula.operands.front(), subject);
        if (subject.enclosing) return false;
        if (formula.op == Op::operation) return formula.operation == subject.witness.kind;
        if (formula.around == 0) {
          return std::ranges::any_of(subject.witness.within, [&](const std::string& name) {
            return holds_for_enclosing(formula.operands.front(), name);
          });
        }
        return std::ranges::any_of(subject.witness.around, [&](const auto& one) {
          return one.first == formulas_.around(formula.around) &&
                 holds_for_enclosing(formula.operands.front(), one.second);
        });
      });
}

bool Evaluator::matches(LanguageId id, const Subject& subject) {
  Language& language = this->language(id);
  if ((language.needed & ~subject.bytes).any()) return false;
  if (!language.nfa) language.nfa.emplace(formulas_.language(id));
  return language.nfa->search(subject.witness.name, scratch_);
}

bool Evaluator::holds_for_own(FormulaId id, const Subject& subject) {
  Witness own;
  own.name = own_name(subject.witness.name);
  if (own.name == subject.witness.name) return holds(id, subject);
  return holds(id, subject_of(own, subject.enclosing));
}

bool Evaluator::holds_for_enclosing(FormulaId inner, const std::string& name) {
  Witness enclosing;
  enclosing.name = name;
  return holds(inner, subject_of(enclosing, true));
}

const regex::Text* Evaluator::text_of(FormulaId id) {
  const Formula& formula = formulas_.get(id);
  if (formula.op != Op::atom) return nullptr;
  const auto& text = language(formula.language).text;
  return text ? &*text : nullptr;
}

void Evaluator::find_texts(const Subject& subject) {
  for (auto i = static_cast<uint32_t>(texts_of_.size()); i < formulas_.size(); ++i) {
    const regex::Text* text = text_of({i});
    texts_of_.push_back(no_text);
    if (text == nullptr || text->at_begin || text->at_end) continue;
    texts_of_.back() = static_cast<uint32_t>(texts_.size());
    text_index_.add(texts_of_.back(), *text);
    texts_.push_back(0);
  }
  for (const uint32_t text : in_name_) texts_[text] = 0;
  text_index_.find(subject.witness.name, in_name_);
  for (const uint32_t text : in_name_) texts_[text] = 1;
  subject_of_texts_ = subject.number;
}

std::optional<bool> Evaluator::text_in(FormulaId id) const {
  if (id.index >= texts_of_.size() || texts_of_[id.index] == no_text) return std::nullopt;
  return texts_[texts_of_[id.index]] != 0;
}

Evaluator::Language& Evaluator::language(LanguageId id) {
  while (languages_.size() <= id.index) {
    const regex::Regex& regex = formulas_.language({static_cast<uint32_t>(languages_.size())});
    languages_.push_back({needed_bytes(regex), regex::text_of(regex), std::nullopt});
  }
  return languages_[id.index];
}

}  // namespace kr::prove
