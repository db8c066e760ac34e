// The host's side of an nsys export: calls of the runtime and the driver, NVTX ranges, and where
// the nodes of CUDA graphs were created.
//
// A call is joined to what it launched by the correlation id, which counts by process. An operation
// of a graph is joined to the creation of its node: a graph that can be launched has copies of the
// nodes that were captured, and CUDA_GRAPH_NODE_EVENTS says of each copy what it is one of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.hpp"
#include "base/interned.hpp"
#include "trace/readers/nccl_calls.hpp"
#include "trace/readers/nsys_host_rows.hpp"
#include "trace/readers/nsys_schema.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

class NsysHost {
 public:
  /// All that is given has to outlive it.
  NsysHost(const SqliteTables& schema, const NsysLabels& labels, const OpenOptions& options,
           TraceBuilder& out);

  /// The correlation of an operation or call, for a HostTrace: one number of id and process.
  int64_t correlation(int64_t global_pid, int64_t id);
  /// Whether the nodes of operations are wanted.
  bool wants_nodes() const noexcept { return wants_nodes_; }
  /// The operation that was added as number `operation` ran this node.
  void node(size_t operation, int64_t global_pid, int64_t node);
  /// Reads all calls, ranges and nodes. False where the file had less than its tables say. Rows
  /// that cannot be are counted and left out. Of HostDetail::range_names: only the names of ranges,
  /// and nothing is said of what is wrong there.
  bool read();

 private:
  struct Node {
    int64_t process = 0;
    int64_t number = 0;

    friend bool operator==(const Node&, const Node&) = default;
  };
  struct NodeHash {
    size_t operator()(const Node& node) const noexcept {
      return hash_numbers(static_cast<uint64_t>(node.process), static_cast<uint64_t>(node.number));
    }
  };
  /// What is said of a node, in numbers of `nodes_` and of creations.
  struct Origin {
    uint32_t copied_from = HostRange::none;
    uint32_t creation = HostRange::none;
    bool several = false;  // it is a copy of two nodes
  };
  bool identified_by_process() const;
  void note_processes();
  bool usable(NsysHostTable table);
  bool names_only() const noexcept { return options_->host == HostDetail::range_names; }
  void note_not_found(const SqliteScan& scan);
  void read_cut_steps();
  void merge(NsysHostRows& rows);
  void add_node_event(const NsysNodeEvent& event, const TraceIds& ids);
  uint32_t node_number(int64_t process, int64_t number);
  uint32_t creation_of(uint32_t node) const;
  void resolve_nodes();
  void name_domains();
  void add_module_ops();

  const SqliteTables* schema_;
  const NsysLabels* labels_;
  const OpenOptions* options_;
  TraceBuilder* out_;
  bool by_process_;
  bool wants_nodes_ = false;
  Interned<int64_t, NumberHash> processes_;
  int64_t last_process_ = INT64_MIN;
  int64_t last_number_ = 0;
  Interned<Node, NodeHash> nodes_;
  std::vector<Origin> origins_;  // by node
  bool any_node_ = false;        // of an operation
  NvtxPayloadSchemas payloads_;  // empty: they are not wanted
  NcclCalls nccl_;
  std::unordered_map<std::string, std::string> domains_;
};

}  // namespace kr::trace
