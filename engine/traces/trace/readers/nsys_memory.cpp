#include "trace/readers/nsys_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "base/saturated.hpp"
#include "trace/readers/nsys_host_rows.hpp"

namespace kr::trace {
namespace {

/// A call that allocates or releases.
struct Call {
  int64_t time_ns;
  int64_t process;
  int64_t address;
  int64_t bytes;
  int32_t device;
  int32_t kind;
  bool releases;
};

/// A memory pool after a call.
struct PoolState {
  int64_t time_ns;
  int64_t process;
  int64_t address;
  int64_t bytes;  // of the call
  MemoryLevel level;
  int32_t device;
};

/// Of a process.
struct Address {
  int64_t process;
  int64_t address;

  friend bool operator==(const Address&, const Address&) = default;
};
struct AddressHash {
  size_t operator()(const Address& of) const noexcept {
    return hash_numbers(static_cast<uint64_t>(of.process), static_cast<uint64_t>(of.address));
  }
};

class NsysMemory {
 public:
  NsysMemory(const SqliteTables& schema, const NsysLabels& labels, TraceBuilder& out)
      : schema_(schema), labels_(labels), out_(out), kinds_(nsys_memory_kinds(schema)) {}

  bool read() {
    read_calls();
    read_pools();
    add_calls();
    add_pools();
    if (!memory_.series.empty()) out_.memory(std::move(memory_));
    return whole_;
  }

 private:
  static constexpr const char* calls_table = "CUDA_GPU_MEMORY_USAGE_EVENTS";
  static constexpr const char* pools_table = "CUDA_GPU_MEMORY_POOL_EVENTS";

  void read_calls() {
    const TableScan scan{calls_table,
                         {"start",
                          {"globalPid", "0"},
                          {"deviceId", "0"},
                          "address",
                          "bytes",
                          {"memKind", "7"},
                          "memoryOperationType",
                          {"localMemoryPoolAddress", "NULL"},
                          {"localMemoryPoolSize", "NULL"},
                          {"localMemoryPoolUtilizedSize", "NULL"}}};
    enum Column { start, process, device, address, bytes, kind, what, pool, size, used };
    auto rows = rows_of(scan, "table of memory events without times, addresses, bytes or types");
    while (rows && rows->step(&whole_)) {
      const auto time = rows->whole_number(start);
      const auto pid = rows->whole_number(process);
      const auto on = rows->whole_number(device);
      const auto at = rows->whole_number(address);
      const auto number = rows->whole_number(bytes);
      const auto of = rows->whole_number(kind);
      const auto type = rows->whole_number(what);
      if (!time) {
        drop("memory event without a valid time");
      } else if (!pid || !at || !is_device(on)) {
        drop("memory event without an address or a device");
      } else if (!number || *number < 0 || *number > max_memory_bytes) {
        drop("memory event without a valid number of bytes");
      } else if (!type || *type < 0 || *type > 1 || !of || *of < 0 || *of > INT32_MAX) {
        drop("memory event of an unknown kind or type");
      } else {
        const bool releases = *type == 1;
        calls_.push_back(
            {*time, *pid, *at, *number, gpu(*on, *pid), static_cast<int32_t>(*of), releases});
        add_pool(*rows, {*time, *pid, 0, releases ? -*number : *number, {}, gpu(*on, *pid)}, pool,
                 size, used);
      }
    }
  }

  void read_pools() {
    const TableScan scan{pools_table,
                         {"start",
                          {"globalPid", "0"},
                          {"deviceId", "0"},
                          "address",
                          {"operationType", "0"},
                          {"localMemoryPoolSize", "NULL"},
                          {"localMemoryPoolUtilizedSize", "NULL"}}};
    constexpr int64_t destroyed = 2;
    enum Column { start, process, device, pool, type, size, used };
    auto rows = rows_of(scan, "table of memory pools without times or addresses");
    while (rows && rows->step(&whole_)) {
      const auto time = rows->whole_number(start);
      const auto pid = rows->whole_number(process);
      const auto on = rows->whole_number(device);
      if (!time || !pid || !is_device(on)) {
        drop("memory pool without a valid time or a device");
        continue;
      }
      const PoolState state{*time, *pid,   rows->whole_number(pool).value_or(0),
                            0,     {0, 0}, gpu(*on, *pid)};
      if (rows->whole_number(type) == destroyed) {
        pools_.push_back(state);
      } else {
        add_pool(*rows, state, pool, size, used);
      }
    }
  }

  std::optional<sqlite::Statement> rows_of(const TableScan& scan, std::string_view without) {
    if (!schema_.has(scan.table)) return std::nullopt;
    if (scan.missing(schema_.columns(scan.table))) {
      drop(without);
      return std::nullopt;
    }
    return schema_.rows(scan);
  }

  /// A call that is not of a pool has none of the three.
  void add_pool(const sqlite::Statement& row, PoolState state, int pool, int size, int used) {
    if (row.is_null(pool) || row.is_null(size) || row.is_null(used)) return;
    const auto address = row.whole_number(pool);
    const auto reserved = row.whole_number(size);
    const auto in_use = row.whole_number(used);
    const auto right = [](const std::optional<int64_t>& bytes) {
      return bytes && *bytes >= 0 && *bytes <= max_memory_bytes;
    };
    if (!address || !right(reserved) || !right(in_use)) {
      return drop("state of a memory pool without valid sizes");
    }
    state.address = *address;
    state.level = {*in_use, *reserved};
    pools_.push_back(state);
  }

  /// By device and kind: the sum over processes, which share a device.
  void add_calls() {
    sort_by_time(calls_);
    struct Live {
      int64_t bytes;
      size_t series;
    };
    std::unordered_map<Address, Live, AddressHash> live;
    std::map<std::pair<int32_t, int32_t>, size_t> numbers;
    std::vector<int64_t> sums;
    const auto series_of = [&](const Call& call) {
      const auto [number, added] =
          numbers.try_emplace({call.device, call.kind}, memory_.series.size());
      if (added) {
        add_series(MemorySource::driver, kind_name(call.kind), call.device);
        sums.push_back(0);
      }
      return number->second;
    };
    for (const Call& call : calls_) {
      MemoryEvent event{call.time_ns, call.bytes, {}, thread(call.process), false};
      const auto known = live.find({call.process, call.address});
      size_t own = 0;
      if (call.releases) {
        event.unknown_address = known == live.end();
        event.bytes = event.unknown_address ? -call.bytes : -known->second.bytes;
        own = event.unknown_address ? series_of(call) : known->second.series;
      } else {
        own = series_of(call);
      }
      if (known != live.end()) {
        // What was allocated there, whatever the call says. An address that is allocated again was
        // released unseen.
        sums[known->second.series] -= known->second.bytes;
        live.erase(known);
      }
      if (!call.releases) {
        live.emplace(Address{call.process, call.address}, Live{call.bytes, own});
        sums[own] = add_saturated(sums[own], call.bytes);
      }
      event.after.used = sums[own];
      memory_.series[own].events.push_back(event);
    }
  }

  /// By device: the sum over pools, whose states the calls have.
  void add_pools() {
    sort_by_time(pools_);
    std::map<int32_t, size_t> numbers;
    std::unordered_map<Address, MemoryLevel, AddressHash> states;
    std::map<int32_t, MemoryLevel> sums;
    for (const PoolState& one : pools_) {
      const auto [number, added] = numbers.try_emplace(one.device, memory_.series.size());
      if (added) {
        add_series(MemorySource::pool, kind_name(device_kind), one.device);
        sums[one.device] = {0, 0};
      }
      MemoryLevel& sum = sums[one.device];
      MemoryLevel& state =
          states.try_emplace({one.process, one.address}, MemoryLevel{0, 0}).first->second;
      sum.used = add_saturated(sum.used, one.level.used - state.used);
      sum.reserved = add_saturated(sum.reserved, one.level.reserved - state.reserved);
      state = one.level;
      memory_.series[number->second].events.push_back(
          {one.time_ns, one.bytes, sum, thread(one.process), false});
    }
  }

  template <class Row>
  static void sort_by_time(std::vector<Row>& rows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.time_ns < b.time_ns; });
  }

  void add_series(MemorySource source, std::string kind, int32_t device) {
    MemorySeries& one = memory_.series.emplace_back();
    one.source = source;
    one.kind = std::move(kind);
    one.device = device;
  }

  static constexpr int32_t device_kind = 2;

  std::string kind_name(int32_t kind) const {
    const auto known = kinds_.find(kind);
    return known != kinds_.end() ? known->second : fmt::format("kind {}", kind);
  }

  uint32_t thread(int64_t global_pid) {
    const int64_t process = global_pid >> nsys_process_shift;
    const auto [at, added] =
        threads_.try_emplace(process, static_cast<uint32_t>(memory_.threads.size()));
    if (added) memory_.threads.push_back({std::to_string(process), {}});
    return at->second;
  }

  static bool is_device(std::optional<int64_t> device) {
    return device && *device >= 0 && *device <= std::numeric_limits<int32_t>::max();
  }

  /// Its number among all GPUs, where processes give several GPUs one number.
  int32_t gpu(int64_t device, int64_t global_pid) const {
    constexpr int64_t pid_mask = (int64_t{1} << nsys_process_shift) - 1;
    const int64_t process = global_pid >> nsys_process_shift & pid_mask;
    for (const NsysDevice& one : labels_.numbered_by_process) {
      if (one.process == process && one.number == device && is_device(one.gpu)) {
        return static_cast<int32_t>(one.gpu);
      }
    }
    return static_cast<int32_t>(device);
  }

  void drop(std::string_view what) { out_.add_dropped(what, 0); }

  const SqliteTables& schema_;
  const NsysLabels& labels_;
  TraceBuilder& out_;
  std::map<int64_t, std::string> kinds_;
  std::vector<Call> calls_;
  std::vector<PoolState> pools_;
  Memory memory_;
  std::map<int64_t, uint32_t> threads_;
  bool whole_ = true;
};

}  // namespace

bool read_nsys_memory(const SqliteTables& schema, const NsysLabels& labels, TraceBuilder& out) {
  return NsysMemory(schema, labels, out).read();
}

}  // namespace kr::trace
