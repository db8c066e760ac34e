// Which label of a dimension the words of a name speak for: by the names, titles and documentation
// of the labels, and by the words that names with a known label have.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sema/program.hpp"

namespace kr::coverage {

struct LabelProposal {
  std::string label;
  /// The words that speak for it. Empty: none do, and `label` only stands in for one.
  std::vector<std::string> words;
};

class LabelWords {
 public:
  /// `table` is null where the model has no rules for the dimension.
  LabelWords(const sema::Program& program, sema::DimensionId dimension, const sema::Table* table);

  /// A name and its label: its words speak for the label where no other label has them.
  void learn(std::string_view name, std::string_view label);

  /// The label that most words speak for; where there is none or several are even, the one of
  /// `otherwise`, or another that the dimension may give.
  LabelProposal propose(std::string_view name) const;

 private:
  struct Entry {
    std::map<std::string, int> weights;  // by label
    std::map<std::string, int> names;    // by label: how many names have the word
  };
  void add(const std::string& label, std::string_view text, int weight);
  std::map<std::string, int> spoken_for(const std::string& word) const;

  std::map<std::string, Entry> words_;                         // by stem
  std::map<std::string, std::vector<std::string>> own_words_;  // by label: stems of its name
  std::string stand_in_;
};

}  // namespace kr::coverage
