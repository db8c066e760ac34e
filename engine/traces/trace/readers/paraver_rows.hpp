// The records of a Paraver trace, one after another, as operations, calls and ranges.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/input.hpp"
#include "trace/readers/paraver_header.hpp"
#include "trace/readers/paraver_names.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

class ParaverRecords {
 public:
  ParaverRecords(const Input& input, const ParaverObjects& objects, const ParaverNames& names,
                 TraceBuilder& out);

  /// A line without its line break. Returns what is wrong with it, null if nothing is.
  const char* read(std::string_view line, uint64_t offset);
  /// After the last.
  void finish();

 private:
  /// An event of a type that has begun on a row, or one that begins or ends.
  struct Event {
    int64_t type = 0;
    const ParaverType* of = nullptr;
    int64_t value = 0;
    int64_t time_ns = 0;
    int64_t bytes = OperationDetail::none;
    int64_t correlation = Launch::no_correlation;
    uint64_t offset = 0;
  };
  const char* place(std::string_view& line, uint32_t& row) const;
  const char* time(std::string_view& line, int64_t& ns) const;
  const char* state(std::string_view line, uint64_t offset);
  const char* events(std::string_view line, uint64_t offset);
  const char* communication(std::string_view line, uint64_t offset);
  void unread(const Event& event);
  void take(uint32_t row, const Event& event);
  void end(uint32_t row, const Event& begun, int64_t end_ns);
  void operation(uint32_t row, const Event& begun, int64_t duration_ns);
  void host(uint32_t row, const Event& begun, int64_t duration_ns);
  void add_operation(uint32_t row, NameId name, const Event& begun, int64_t duration_ns);
  void sample(uint32_t row, const Event& event);
  void finish_metrics();
  void number_devices();
  std::string text_of(const Event& event);
  NameId name_of(const Event& event);
  uint32_t thread_of(uint32_t row);
  TrackId track_of(uint32_t row);
  const ParaverType* type(int64_t number);
  ParaverRow row(uint32_t number) const;

  const OpenOptions& options_;
  const ParaverObjects& objects_;
  const ParaverNames& names_;
  TraceBuilder& out_;
  std::vector<std::vector<Event>> open_;  // by row
  std::vector<TrackId> tracks_;           // by row
  std::vector<uint32_t> threads_;         // by row
  std::vector<uint32_t> task_of_track_;
  std::map<std::pair<int64_t, int64_t>, NameId> known_names_;  // by type and value
  std::unordered_map<int64_t, const ParaverType*> types_;      // that were met
  std::vector<Event> line_;                                    // of one record
  std::string unread_;  // what is counted of events that are in no table
  bool has_copies_ = false;
  bool has_host_ = false;     // calls or ranges, and all of the host is wanted
  bool has_details_ = false;  // likewise
  bool host_rows_ = false;    // rows without a stream are known to have no operations
  std::map<std::pair<uint32_t, int32_t>, int32_t> devices_;  // by task and number: the trace's
  using MetricKey = std::tuple<uint32_t, int32_t, int64_t>;  // task, GPU, type
  std::map<MetricKey, GpuMetric> metrics_;
};

/// A whole trace. Throws Error.
void read_paraver(Input& input, TraceBuilder& out, const ParaverNames& names);

}  // namespace kr::trace
