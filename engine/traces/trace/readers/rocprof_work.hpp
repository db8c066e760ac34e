// Records of rocprofv3's JSON as operations, calls and ranges: once all of a process is read, since
// records name what they are by numbers whose texts may follow.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/hash.hpp"
#include "trace/input.hpp"
#include "trace/readers/row_times.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

struct RocprofRecord {
  enum class What : uint8_t { kernel, copy, call, marker, library };

  sqlite::Statement::Cell start{0, sqlite::Statement::Type::null};
  sqlite::Statement::Cell end{0, sqlite::Statement::Type::null};
  int64_t correlation = 0;
  int64_t agent = 0;  // of a copy, where it goes to
  int64_t queue = 0;  // of a copy, the agent that it comes from
  int64_t name = 0;   // of a kernel its id, else the number of the operation of its kind
  int64_t thread = 0;
  uint32_t kind = 0;
  uint32_t detail = 0;
  What what = What::kernel;
};

/// A process of the file: what its records refer to by number.
struct RocprofProcess {
  struct Agent {
    std::optional<int32_t> gpu;  // nullopt: a CPU
    std::string name;
  };
  int64_t pid = 0;
  std::unordered_map<int64_t, Agent, NumberHash> agents;  // by handle
  std::unordered_map<int64_t, std::string, NumberHash> kernels, markers;
  std::vector<std::vector<std::string>> operations;  // by kind and number
  std::vector<RocprofRecord> records;
  std::map<std::string, uint64_t> unread;  // records by domain
};

class RocprofWork {
 public:
  /// `remedy` is that of errors in the file.
  RocprofWork(const Input& input, std::string_view remedy, TraceBuilder& out)
      : input_(&input), remedy_(remedy), out_(&out) {}

  /// `member` is what a process is called beside others; empty: it is the only one. Throws Error: a
  /// record cannot be, and the trace is to be strict.
  void add(const RocprofProcess& process, size_t number, const std::string& member);
  /// Calls that only the profiler makes, which are left out.
  uint64_t calls_of_tracer() const noexcept { return of_tracer_; }

 private:
  bool whole_host() const { return input_->options().host == HostDetail::all; }
  void add_operation(const RocprofRecord& one);
  int64_t linked_id(const RocprofRecord& one) const;
  NameId operation_name(const RocprofRecord& one);
  std::string_view name_of_kind(const RocprofRecord& one) const;
  TrackId track(const RocprofRecord& one);
  void add_call(const RocprofRecord& one);
  void add_range(const RocprofRecord& one, std::string_view name);
  uint32_t thread(const RocprofRecord& one);

  const Input* input_;
  std::string_view remedy_;
  TraceBuilder* out_;
  uint64_t of_tracer_ = 0;

  // Of the process that is being added.
  const RocprofProcess* process_ = nullptr;
  size_t number_ = 0;
  std::string member_;
  std::map<std::tuple<RocprofRecord::What, uint32_t, int64_t>, NameId> names_;
  std::map<std::tuple<bool, int64_t, int64_t>, TrackId> tracks_;
  std::map<int64_t, uint32_t> threads_;
};

}  // namespace kr::trace
