// The JSON of vLLM's layer-wise profiler, of any size, to module trees: a context, and a member a
// step, `prefill` or `decode_1`, with its trees.
//
//     {"context": {"engine_args": {"model": "…"}, "batch_size": 8},
//      "prefill": {"metadata": {"num_running_seqs": 8},
//                  "summary_stats": [{"entry": {"name": "LlamaForCausalLM",
//                                               "cuda_time_us": 5120.25, "invocations": 1},
//                                     "children": [{"entry": …}]}],
//                  "model_stats": […]},
//      "decode_1": …}
//
// Members may stand in any order and be more than are known. Memory is a block, the open nodes and
// the keys of the open objects; only where a node's `children` stand before its `entry` (keys that
// were sorted) is its whole tree held until its name is known.
#pragma once

#include <cstdint>

#include "trace/input.hpp"
#include "trace/module_trace.hpp"
#include "trace/readers/json_pull.hpp"

namespace kr::trace {

struct LayerwiseReading {
  /// `summary` adds up the calls of one module; `model` has each call for itself.
  enum class Table : uint8_t { summary, model };
  Table table = Table::summary;
  size_t block_size = JsonPull::usual_block;
};

/// A step is a member of the whole that is an object with `summary_stats`, or with the table asked
/// for; other members are passed over. Members of the context become entries with dotted keys
/// (`engine_args.model`, `devices[0]`), nulls left out. A node without `invocations` has 0 of
/// them, in `model` 1. A file that is cut off gives, where that is allowed, the steps whose table
/// is whole. Throws Error with the byte offset and the path inside the JSON.
void read_layerwise_json(Input& input, ModuleTraceBuilder& out,
                         const LayerwiseReading& reading = {});

/// Whether a text that begins so is one: its first member is an object `context`, or one of its
/// members an object with `summary_stats`.
bool is_layerwise_json(std::string_view head) noexcept;

}  // namespace kr::trace
