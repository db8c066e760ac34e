// Tables of patterns from other tools as a rules file (`kr import`).
#pragma once

#include <string>
#include <vector>

#include "convert/rules_text.hpp"

namespace kr::convert {

/// The text of a rules file that labels every name as the tables of a JSON file do;
/// read_pattern_tables describes the tables. A pattern that the dialect cannot express becomes a
/// comment and a finding. Without these patterns, the result is proven to be equivalent to the
/// tables; `proven` is false if the proof exceeds its budget.
///
/// `only_engines`: their names in the tables or in the rules; empty: all.
///
/// Throws Error for a file without tables, for engines that it does not have, and, with a name that
/// shows it, for a result that is not equivalent.
struct Imported {
  std::string text;
  bool proven = true;
  size_t rules = 0;
  size_t left_out = 0;
};
Imported import_tables(const source::SourceMap& sources, source::FileId file,
                       const std::vector<std::string>& only_engines, diag::Sink& sink);

/// Compares a rules file with a direct translation of the tables: one rule per pattern, each a
/// regular expression, in their order. Throws Error, with the name, if they label a name
/// differently. False if the proof exceeds its budget.
bool check_import(const std::string& text, const std::vector<EngineText>& tables);

}  // namespace kr::convert
