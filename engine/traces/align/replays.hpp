// The kernels that graphs ran, by what references say of them. What is known becomes a part of the
// trace: modules of a reference are ranges of threads of its own, and each kernel has a creation
// among them (trace::NodeCreation), as if the trace had seen the capture. So everything that reads
// creations works with it: `within` of rules, steps, trees, exports.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "align/reference.hpp"
#include "trace/trace.hpp"

namespace kr::align {

/// The launches of graphs that ran the same kernels on one stream.
struct GraphAlignment {
  int64_t kernels = 0;  // of one launch: kernels, copies and sets
  int64_t launches = 0;
  int64_t total_ns = 0;   // of all of them
  std::string reference;  // the file that decided; of several, the first. Empty: none
  bool captured = false;  // the reference's sequence is a capture, else what ran without a graph
  Evidence evidence = Evidence::none;
  bool by_order = false;     // the order of launches distinguished captures of equal names
  int64_t matched = 0;       // kernels of one launch in a best alignment
  int64_t alternatives = 0;  // sequences of references that are equally good
  struct Part {
    int64_t operations = 0;
    int64_t total_ns = 0;
  };
  std::array<Part, 4> parts;  // by Agreement, over all launches
};

/// As in tables.
std::string_view to_string(Evidence evidence) noexcept;

/// Places the operations of all launches of graphs of which the trace does not know the creation.
/// The trace has a host trace. By the first launch. Memory: 4 bytes per operation, and what
/// distinct sequences need.
std::vector<GraphAlignment> place_replays(trace::Trace& trace, References& references);

}  // namespace kr::align
