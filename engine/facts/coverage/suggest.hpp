// The names that rules do not explain in several runs, in groups of similar names, each with a rule
// to add.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coverage/measure.hpp"

namespace kr::coverage {

/// The place of a new last rule before `otherwise`: a rule there changes no label of other rules.
/// It is in the engine's own block of the dimension, or, if the engine has none and inherits its
/// rules, in the model's block.
struct InsertionPlace {
  source::FileId file;
  uint32_t byte = 0;           // the text is inserted before it
  uint32_t line = 0;           // from 1: of the rule before it, or of the block
  std::string below;           // the first line of the rule before it; may be empty
  std::string owner;           // `engine vllm`, `model ds of engine vllm`
  bool new_block = false;      // the dimension has no block yet
  bool new_dimension = false;  // and nothing is inherited: the block needs an `otherwise`
  /// The file is installed with kr and not the user's to edit: `insert` is a whole file, which
  /// extends the model. Empty for `generic`, whose users need an engine of their own.
  bool installed = false;

  friend bool operator==(const InsertionPlace&, const InsertionPlace&) = default;
};

InsertionPlace insertion_place(const match::CompiledRules& rules, sema::ModelId model,
                               sema::DimensionId dimension);

/// What to insert at the place for a rule, `label: expression`.
std::string text_to_insert(const InsertionPlace& place, const std::string& dimension,
                           const std::string& rule);

/// Names that one new rule labels. Of all names in the runs, explained or not, and in the rules'
/// tests, it matches exactly these. It explains their time, to the nanosecond.
struct Suggestion {
  /// With their sums over all runs that a rule at the place applies to; total descending, then by
  /// name; one or more.
  std::vector<MeasuredName> names;
  int64_t instances = 0;
  int64_t total_ns = 0;
  std::string common_text;  // for a person: `acme_topk_*`
  std::string label;
  std::vector<std::string> label_words;  // that indicate it; empty: it is only a placeholder
  std::string rule;                      // `label: expression`; empty only for the empty name
  std::string test;                      // a whole `test` block, in the one layout
  InsertionPlace place;
  std::string insert;  // the text to insert at the place
  struct InRun {
    size_t run;  // index into TimeCoverage::runs
    int64_t instances;
    int64_t total_ns;
  };
  std::vector<InRun> runs;  // ascending
};

/// How much of the runs' time the rules explain.
struct TimeCoverage {
  std::string dimension;
  std::vector<MeasuredRun> runs;
  int64_t explained_ns = 0;     // of all runs
  int64_t common_words_ns = 0;  // the part of it by rules of common words alone
  int64_t total_ns = 0;
  std::vector<Suggestion> unexplained;  // total descending, then by name
  /// The groups beyond the requested number.
  size_t omitted_groups = 0;
  int64_t omitted_ns = 0;
};

/// At most `most` suggestions (0: all). Rules are for the models of the runs; a name that is
/// unexplained under two engines is in two suggestions. Deterministic. Throws Error if a sum
/// overflows.
TimeCoverage cover(const match::CompiledRules& rules, sema::DimensionId dimension,
                   std::vector<MeasuredRun> runs, size_t most);

}  // namespace kr::coverage
