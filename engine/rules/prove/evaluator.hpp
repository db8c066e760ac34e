// The values of formulas for subjects.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "prove/formula.hpp"
#include "prove/prover.hpp"
#include "prove/texts.hpp"
#include "regex/nfa.hpp"

namespace kr::prove {

/// A subject whose values are kept while it is the last one that was made.
struct Subject {
  const Witness& witness;
  regex::ByteSet bytes;  // of its name
  bool enclosing;        // it encloses another subject: `within` is false for it
  uint32_t number;       // unique
};

class Evaluator {
 public:
  explicit Evaluator(const Formulas& formulas) : formulas_(formulas) {}

  /// The witness must outlive it.
  Subject subject_of(const Witness& witness, bool enclosing = false);
  /// Evaluates each shared part once per subject.
  bool holds(FormulaId id, const Subject& subject);
  /// Whether the formula `inner` of a `within` is true for an enclosing name.
  bool holds_for_enclosing(FormulaId inner, const std::string& name);

  /// The text of an atom that is only a text; otherwise null.
  const regex::Text* text_of(FormulaId id);
  /// Finds all texts of the arena in the name of the subject, for `text_in` and `holds`.
  void find_texts(const Subject& subject);
  /// After `find_texts`: whether the name contains the text. None if the formula is not a text, or
  /// the text has an anchor.
  std::optional<bool> text_in(FormulaId id) const;

  /// The number of parts of formulas evaluated so far.
  size_t evaluated() const noexcept { return evaluated_; }

 private:
  struct Language {
    regex::ByteSet needed;
    std::optional<regex::Text> text;  // if it is only a text
    std::optional<regex::Nfa> nfa;    // created on demand
  };
  struct Known {
    uint32_t subject = 0;  // its number; 0: none
    bool value = false;
  };
  static constexpr uint32_t no_text = ~uint32_t{0};

  bool evaluate(FormulaId id, const Subject& subject);
  bool matches(LanguageId id, const Subject& subject);
  bool holds_for_own(FormulaId id, const Subject& subject);
  Language& language(LanguageId id);

  const Formulas& formulas_;
  std::deque<Language> languages_;  // by LanguageId; with stable addresses
  regex::Nfa::Scratch scratch_;
  std::vector<Known> known_;  // by FormulaId, for formulas with operands
  uint32_t subjects_ = 0;
  size_t evaluated_ = 0;
  Texts text_index_;
  std::vector<uint32_t> texts_of_;  // by FormulaId: number of the text, or `no_text`
  std::vector<char> texts_;         // by number: whether the last name contains the text
  uint32_t subject_of_texts_ = 0;   // the subject with that name, while it is the last one
  std::vector<uint32_t> in_name_;   // the texts that the last name contains
};

}  // namespace kr::prove
