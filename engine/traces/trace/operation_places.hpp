// What a source says of operations themselves, not of the calls that launched them: the modules in
// which a node of a graph was captured, JAX's `tf_op`, the call stack of Proton, and texts that
// rules may ask for by `within`. It is kept as if the trace had seen where each was created
// (HostTrace::creations): as ranges of a thread that counts in places, not in time.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/trace.hpp"

namespace kr::trace {

class OperationPlaces {
 public:
  struct Level {
    HostRange::Kind kind;  // `module` or `annotation`
    /// Of a module, its class or its dotted path; HostTrace::module_name cuts the path of the one
    /// around it.
    std::string_view name;
  };

  /// The builder has a host trace (HostDetail::all), and outlives it. `process`: as in HostThread.
  explicit OperationPlaces(TraceBuilder& out, std::string process = "places")
      : out_(&out), process_(std::move(process)) {}

  /// The outermost level first. Returns what TraceBuilder::created takes: equal levels are one
  /// number.
  uint32_t add(std::span<const Level> levels);
  /// Of a dotted path: its modules, with numbers joined to the part before them, since lists of
  /// modules are not called: `layers.3.mlp.up` is `layers.3`, `layers.3.mlp`, `layers.3.mlp.up`.
  static std::vector<std::string_view> modules_of(std::string_view path);
  /// Writes the ranges. Once, after the last `add`.
  void finish();

 private:
  struct Node {
    uint32_t first_child = 0;  // 0: none
    uint32_t next = 0;         // of the same parent; 0: it is the last
    uint32_t name = 0;         // TraceBuilder::range_name
    uint32_t creation = HostRange::none;
    HostRange::Kind kind = HostRange::Kind::module;
  };

  TraceBuilder* out_;
  std::string process_;
  std::vector<Node> nodes_{1};  // the first encloses all others, and is not a range
  std::map<std::pair<uint32_t, std::pair<HostRange::Kind, uint32_t>>, uint32_t> known_;
};

}  // namespace kr::trace
