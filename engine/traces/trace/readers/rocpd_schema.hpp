// What a rocpd database says in place of numbers, process by process. Each process has tables of
// its own, `rocpd_string_UUID`, with the same ids as others.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "trace/readers/numbers_by_id.hpp"
#include "trace/readers/sqlite_tables.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// Any table that only rocprofv3 writes.
bool is_rocpd(const SqliteTables& tables);

struct RocpdProcess {
  struct Agent {
    std::optional<int32_t> gpu;  // its number among GPUs; nullopt: a CPU
    std::string name;
  };
  /// Where something ran; each may be missing.
  struct Lane {
    std::optional<int64_t> process, thread, agent, queue;
  };

  /// `rocpd_string` with the end of the process.
  const std::string& table(std::string_view name) const { return tables.find(name)->second; }
  /// The first two numbers of an event are its stack id and its category.
  const std::array<int64_t, 3>* event(const std::optional<int64_t>& id, size_t& near) const {
    return id ? events.find(*id, near) : nullptr;
  }

  size_t number = 0;   // from 0, in the order of the file
  std::string end;     // `_UUID`; may be empty
  std::string member;  // as in Track; empty: it is the only one
  std::map<std::string, std::string, std::less<>> tables;
  std::map<int64_t, Agent> agents;
  std::map<int64_t, int64_t> pids, tids;  // by the ids of the file
  std::map<int64_t, Lane> lanes;
  NumbersById<1> times;   // of files that have times in a table of their own
  NumbersById<2> events;  // stack ids, which join an operation to its call, and categories
};

/// All processes of a file, without times and events.
std::deque<RocpdProcess> rocpd_processes(const SqliteTables& tables);

}  // namespace kr::trace
