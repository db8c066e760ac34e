// Rules as a JSON table that gputrc2graph.py takes (`kr export`).
#pragma once

#include <string>

#include "diag/diagnostic.hpp"
#include "sema/program.hpp"

namespace kr::convert {

struct Exported {
  std::string text;      // {engine: {model: {pattern: label}}}
  size_t rules = 0;      // patterns written
  size_t left_out = 0;   // rules that no pattern can say, each a finding
  size_t uses_kind = 0;  // patterns that tell copies and sets by the spelling of names
};

/// One dimension of every model that has it, in the order in which rules are tried: the first
/// pattern that `re.search` finds gives the label, as there. A rule that no pattern can say is left
/// out, with a finding at its place. Throws Error where no model has the dimension.
Exported export_tables(const sema::Program& program, std::string_view dimension, diag::Sink& sink);

}  // namespace kr::convert
