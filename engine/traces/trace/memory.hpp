// What a trace says of memory: allocations and releases, with the bytes in use after each.
//
// Times are those of the host. When memory is released, work that uses it may still be queued.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/growing_array.hpp"
#include "trace/host_trace.hpp"

namespace kr::trace {

/// Who reports it, and what totals are.
enum class MemorySource : uint8_t {
  allocator,  // of a framework: the totals are its own, with what was in use before the trace
  driver,     // calls of the CUDA driver: the totals are sums since the trace began
  pool,       // memory pools of the driver: the totals are its own
};
/// `allocator`, `driver`, `pool`.
std::string_view to_string(MemorySource source) noexcept;

struct MemoryLevel {
  static constexpr int64_t unknown = -1;

  int64_t used = 0;
  int64_t reserved = unknown;  // that the allocator or the pool holds
};

struct MemoryEvent {
  static constexpr uint32_t no_thread = UINT32_MAX;

  int64_t time_ns = 0;
  int64_t bytes = 0;  // allocated; negative: released
  MemoryLevel after;
  uint32_t thread = no_thread;  // in Memory::threads
  /// Released, but allocated before the trace began: it lowers no sum.
  bool unknown_address = false;
};

/// Memory of one kind on one device, as one source reports it.
struct MemorySeries {
  MemorySource source = MemorySource::allocator;
  std::string kind;               // `cuda`, `cpu`; of the driver `Device`, `Pinned`
  std::optional<int32_t> device;  // as the source numbers it; nullopt: memory of the host
  /// Of a file with several processes, as Track::member. Empty in a finished trace.
  std::string member = {};
  GrowingArray<MemoryEvent> events = {};  // by time; ties in the order of the source
  /// Times of requests that failed for lack of memory. Rising.
  std::vector<int64_t> out_of_memory = {};
  /// The level before the first event, if that releases memory of an allocator or a pool.
  std::optional<MemoryLevel> before = {};
};

struct Memory {
  /// Without a thread where only the process is known. In no order.
  std::vector<HostThread> threads;
  std::vector<MemorySeries> series;  // by source, devices before the host, then by device and kind

  /// Puts the series and their events, which may come in any order, in order.
  void order();
};

/// More than any machine has: a number of bytes beyond it is not one.
inline constexpr int64_t max_memory_bytes = int64_t{1} << 50;

}  // namespace kr::trace
