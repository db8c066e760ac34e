// Tables of regular expressions as gputrc2graph.py and its like keep them, read from JSON.
#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.hpp"

namespace kr::convert {

/// What a pattern that matches somewhere in the name gives; the first that matches wins.
struct PatternRule {
  std::string pattern;  // of Python's `re`
  std::string label;    // as a rules file may give it
  source::Span span;    // of the pattern, with its quotes
};

struct PatternTable {
  std::string dimension;
  std::vector<PatternRule> rules;
};

/// Names are such as a rules file may have; `title` is the name as found where that is another.
struct PatternModel {
  std::string name;
  std::string title;
  std::string doc;  // where it comes from; may be empty
  std::vector<PatternTable> tables;
};

struct PatternEngine {
  std::string name;
  std::string title;
  std::vector<PatternModel> models;
};

/// Reads either form: the object `{engine: {model: {pattern: label}}}` that gputrc2graph.py takes
/// (instead of the patterns, a model may hold `{dimension: {pattern: label}}`, and that in a
/// `layer_anno`, as the first tables did), or a list of `{"engine", "model", "rules": [[pattern,
/// label]]}`, whose `system`, `repo`, `path`, `commit`, `licence` and `note` become comments.
///
/// Of equal keys of one object the last value counts, in the place of the first, as Python's dict
/// has it. That, and names and labels that had to be changed, are findings. Throws Error, with its
/// place, for what is not JSON or of another shape.
std::vector<PatternEngine> read_pattern_tables(const source::SourceMap& sources,
                                               source::FileId file, diag::Sink& sink);

}  // namespace kr::convert
