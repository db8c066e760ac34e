// Rules as a JSON table for gputrc2graph.py (`kr export`).
#pragma once

#include <optional>
#include <string>

#include "diag/diagnostic.hpp"
#include "sema/program.hpp"

namespace kr::convert {

struct Exported {
  std::string text;      // {engine: {model: {pattern: label}}}
  size_t rules = 0;      // patterns written
  size_t left_out = 0;   // rules that no pattern can express, each a finding
  size_t uses_kind = 0;  // patterns that identify copies and sets by their names
};

/// One dimension of every model that has it, in the order in which rules are tried: as in the tool,
/// the first pattern that `re.search` finds gives the label. A rule that no pattern can express is
/// left out, with a finding. Throws Error if no model has the dimension.
Exported export_tables(const sema::Program& program, std::string_view dimension, diag::Sink& sink);

/// The pattern that `re.search` finds in exactly the names that `expr` matches. Beyond ASCII it may
/// differ, because Python counts characters and kr counts bytes. It has no capturing groups and
/// needs no flags. `&` and `!` become look-aheads at the start of the name; the kind of an
/// operation becomes the names by which kr identifies that kind (`uses_kind` is then set).
///
/// Nullopt if Python cannot express it: `why` is the reason.
struct PythonPattern {
  std::string text;
  bool uses_kind = false;
};
std::optional<PythonPattern> to_python(const sema::Program& program, sema::ExprId expr,
                                       std::string& why);

}  // namespace kr::convert
