// The half of kr diff that compares two runs.
#pragma once

#include <string>

#include "outputs.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {

struct DiffRunsOptions {
  std::string a;
  std::string b;
  std::string by = "substage";
  std::string level;  // of module trees; given, traces of operations are compared as such
  OutputOptions outputs;
  RulesOptions rules;
  TraceOptions trace;
};

const OutputRules& diff_runs_outputs();

/// Whether an operand of kr diff names a run, not rules: standard input, or a path that exists, is
/// not the name of a shipped ruleset and does not end as rules do.
bool names_run(const std::string& operand);

Exit diff_runs(const DiffRunsOptions& options, Streams& streams);

}  // namespace kr::cli
