// Module trees as text, and read out of a text.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "trace/format.hpp"
#include "trace/module_trace.hpp"
#include "trace/readers/json_pull.hpp"

namespace kr::test {

/// A line a step, `KEY [SEQUENCES]`, and below it a line a node: two blanks a level,
/// `NAME NS INVOCATIONS`.
inline std::string dump_step(const trace::ModuleTrace& trace, size_t step) {
  const trace::ModuleStep& about = trace.steps[step];
  std::string out = about.key;
  if (about.running_seqs) out += fmt::format(" [{}]", *about.running_seqs);
  out += '\n';
  std::vector<trace::ModuleNode> nodes;
  trace.expand(step, nodes);
  for (const trace::ModuleNode& node : nodes) {
    out += fmt::format("{:{}}{} {} {}\n", "", 2 * (trace.paths.depth(node.path) + 1),
                       trace.name(node.path), node.total_ns, node.invocations);
  }
  return out;
}

inline std::string dump_steps(const trace::ModuleTrace& trace) {
  std::string out;
  for (size_t i = 0; i < trace.steps.size(); ++i) out += dump_step(trace, i);
  return out;
}

/// A line an entry: `KEY = VALUE`.
inline std::string dump_context(const trace::ModuleTrace& trace) {
  std::string out;
  for (const trace::ContextEntry& entry : trace.context) {
    out += fmt::format("{} = {}\n", entry.key, entry.value);
  }
  return out;
}

inline trace::ModuleTrace read_layerwise(std::string_view text, trace::OpenOptions options = {},
                                         bool allow_truncated = false) {
  options.allow_truncated = allow_truncated;
  trace::Input input(text, "t.json", options);
  trace::ModuleTraceBuilder builder("t.json", "layerwise-json");
  trace::layerwise_json_format.read_modules(input, builder);
  return std::move(builder).finish();
}

/// `what()` of the Error; empty where there is none.
inline std::string layerwise_error(std::string_view text, const trace::OpenOptions& reading = {},
                                   bool allow_truncated = false) {
  try {
    read_layerwise(text, reading, allow_truncated);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace kr::test
