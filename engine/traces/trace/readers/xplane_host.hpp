// What kr reads of the host planes of an XSpace: calls, ranges, and what the allocator of the
// device did.
//
// An event `MemoryAllocation` or `MemoryDeallocation` (XLA's BFC allocator) has the stats
// `allocator_name` (`GPU_0_bfc`), `allocation_bytes`, and `bytes_allocated`, which is what is in
// use after it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/memory.hpp"
#include "trace/open.hpp"
#include "trace/readers/xplane_plane.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

class XPlaneHost {
 public:
  /// The builder outlives it.
  XPlaneHost(const OpenOptions& options, TraceBuilder& out)
      : out_(&out), host_(options.host), memory_wanted_(options.memory) {}

  /// The tables of the plane were read.
  void read(XPlane& plane);
  /// Once, after the last plane.
  void finish();

 private:
  /// What the events of a name are, if they have no correlation.
  enum class Kind : uint8_t { call, range, memory, other };

  static Kind kind_of(std::string_view name);
  XWanted wanted(std::string_view name, Kind kind) const;
  void take(const XEvent& event);
  void add_memory(const XEvent& event);
  MemorySeries& series_of(std::string_view allocator);
  void add_launch(const XEvent& event, std::optional<int64_t> correlation);
  uint32_t range_name(const XEvent& event, std::optional<int64_t> step);
  uint32_t thread();
  uint32_t all_threads();

  TraceBuilder* out_;
  HostDetail host_;
  bool memory_wanted_;
  Memory memory_;
  std::map<std::string, size_t, std::less<>> series_;  // by allocator

  // Of the plane being read; by place of a name.
  XPlane* plane_ = nullptr;
  std::vector<Kind> kinds_;
  std::vector<XWanted> wanted_;
  std::vector<uint32_t> range_names_;
  std::vector<uint32_t> calls_;

  // Of the line being read.
  std::string thread_name_;
  uint32_t thread_ = HostRange::none;
  uint32_t memory_thread_ = MemoryEvent::no_thread;
};

}  // namespace kr::trace
