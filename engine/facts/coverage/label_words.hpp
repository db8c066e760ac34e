// Proposes a label for a name by its words: those in the names, titles and documentation of the
// labels, and those of names with a known label.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sema/program.hpp"

namespace kr::coverage {

struct LabelProposal {
  std::string label;
  /// The words that indicate the label. Empty: none do, and `label` is only a placeholder.
  std::vector<std::string> words;
};

class LabelWords {
 public:
  /// `table` is null if the model has no rules for the dimension.
  LabelWords(const sema::Program& program, sema::DimensionId dimension, const sema::Table* table);

  /// Learns from a name and its label: words that no other label has indicate this label.
  void learn(std::string_view name, std::string_view label);

  /// The label that most words indicate. If there is none, or several are equal: the label of
  /// `otherwise`, or another label of the dimension.
  LabelProposal propose(std::string_view name) const;

 private:
  struct Entry {
    std::map<std::string, int> weights;  // by label
    std::map<std::string, int> names;    // by label: the number of names with the word
  };
  void add(const std::string& label, std::string_view text, int weight);
  std::map<std::string, int> weights_of(const std::string& word) const;

  std::map<std::string, Entry> words_;                         // by stem
  std::map<std::string, std::vector<std::string>> own_words_;  // by label: stems of its name
  std::string placeholder_;
};

}  // namespace kr::coverage
