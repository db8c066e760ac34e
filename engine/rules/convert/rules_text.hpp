// Tables of patterns that are read, and the rules files that are written from them: their content
// before it is text, and the names in them.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.hpp"

namespace kr::convert {

struct RuleText {
  std::string label;
  std::vector<std::string> atoms;  // joined by `|`; as read: one pattern of Python's `re`
  bool always = false;
  bool otherwise = false;
  std::string comment{};  // a comment in place of a rule; the other members are then empty
  source::Span span{};    // as read: of the pattern, with its quotes

  friend bool operator==(const RuleText&, const RuleText&) = default;
};

struct BlockText {
  std::string dimension;
  std::vector<RuleText> rules;
};

/// `name` is valid in a rules file; `title` is the name in the tables if that differs.
struct ModelText {
  std::string name;
  std::string title;
  std::string doc;  // its origin; may be empty
  std::vector<BlockText> blocks;

  /// Null if the model has no block for the dimension.
  BlockText* block(const std::string& dimension);
};

struct EngineText {
  std::string name;
  std::string title;
  std::vector<BlockText> blocks;  // those that all models share; as read: none
  std::vector<ModelText> models;
};

struct LabelsText {
  std::string dimension;
  std::vector<std::string> labels;  // in the order of the first use
  std::set<std::string> known = {};

  void add(const std::string& label);
};

struct RulesText {
  std::string doc;
  std::vector<LabelsText> labels;
  std::vector<EngineText> engines;
};

/// Reads tables of regular expressions; the first that matches anywhere in a name gives the label.
/// They have two forms. One is the object `{engine: {model: {pattern: label}}}` of gputrc2graph.py;
/// instead of patterns, a model may contain `{dimension: {pattern: label}}`, directly or, as in old
/// tables, in `layer_anno`. The other is a list of `{"engine", "model", "rules": [[pattern,
/// label]]}`, whose `system`, `repo`, `path`, `commit`, `licence` and `note` become comments.
///
/// If an object has a key twice, the last value counts, in the place of the first, as in a Python
/// dict. Such keys, and names and labels that had to be changed, are findings. Throws Error, with
/// the place, for text that is not JSON or has another form.
std::vector<EngineText> read_pattern_tables(const source::SourceMap& sources, source::FileId file,
                                            diag::Sink& sink);

/// Not yet in the canonical layout.
std::string to_text(const RulesText& rules);

/// The most similar valid name: `_` in place of bytes that a name may not have.
std::string word_like(std::string_view text);

}  // namespace kr::convert
