// Foreign tables of patterns as a rules file (`kr import`).
#pragma once

#include <string>
#include <vector>

#include "convert/pattern_tables.hpp"

namespace kr::convert {

struct ImportOptions {
  /// Only these engines, by the name found or the name given; empty: all.
  std::vector<std::string> engines;
};

/// The text of a rules file that labels every name as the tables of a JSON file do; see
/// read_pattern_tables for what is read. What the dialect cannot say becomes a comment in its place
/// and a finding; with that left out, the result is proven to mean what was read, where the proof
/// keeps within its budget (`proven` is false where it does not).
///
/// Throws Error for a file that holds no tables, for engines it does not have, and for a result
/// that would not mean the same, which shows a name.
struct Imported {
  std::string text;
  bool proven = true;
  size_t rules = 0;
  size_t left_out = 0;
};
Imported import_tables(const source::SourceMap& sources, source::FileId file,
                       const ImportOptions& options, diag::Sink& sink);

}  // namespace kr::convert
