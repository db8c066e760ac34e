// Tables of regular expressions in the JSON form of gputrc2graph.py and similar tools.
#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.hpp"

namespace kr::convert {

/// A pattern that matches anywhere in a name, and its label; the first that matches wins.
struct PatternRule {
  std::string pattern;  // of Python's `re`
  std::string label;    // one that a rules file may give
  source::Span span;    // of the pattern, with its quotes
};

struct PatternTable {
  std::string dimension;
  std::vector<PatternRule> rules;
};

/// `name` is valid in a rules file; `title` is the name in the table if that differs.
struct PatternModel {
  std::string name;
  std::string title;
  std::string doc;  // its origin; may be empty
  std::vector<PatternTable> tables;
};

struct PatternEngine {
  std::string name;
  std::string title;
  std::vector<PatternModel> models;
};

/// Reads two forms. One is the object `{engine: {model: {pattern: label}}}` of gputrc2graph.py;
/// instead of patterns, a model may contain `{dimension: {pattern: label}}`, directly or, as in old
/// tables, in `layer_anno`. The other is a list of `{"engine", "model", "rules": [[pattern,
/// label]]}`, whose `system`, `repo`, `path`, `commit`, `licence` and `note` become comments.
///
/// If an object has a key twice, the last value counts, in the place of the first, as in a Python
/// dict. Such keys, and names and labels that had to be changed, are findings. Throws Error, with
/// the place, for text that is not JSON or has another form.
std::vector<PatternEngine> read_pattern_tables(const source::SourceMap& sources,
                                               source::FileId file, diag::Sink& sink);

}  // namespace kr::convert
