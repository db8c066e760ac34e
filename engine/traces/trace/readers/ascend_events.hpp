// Events of the timeline of Ascend NPUs (ascend_json.cpp): what one thread does with one window of
// text.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/decimal.hpp"
#include "base/distinct_texts.hpp"
#include "trace/host_trace.hpp"
#include "trace/open.hpp"
#include "trace/readers/event_list.hpp"
#include "trace/readers/json_tokens.hpp"

namespace kr::trace {

/// Where something is: numbers of the texts of `pid` and `tid`, and a time.
struct AscendPlace {
  uint32_t process = 0;
  uint32_t thread = 0;
  int64_t ns = 0;

  friend auto operator<=>(const AscendPlace&, const AscendPlace&) = default;
};

/// An event with a duration and no category: only its process says what it is.
struct AscendRow {
  AscendPlace at;
  int64_t duration_ns;
  uint64_t offset;
  std::optional<int64_t> connection;
  std::optional<int64_t> stream;
  uint32_t name;
  uint32_t type;
  DecimalFault start_fault;
  DecimalFault duration_fault;

  int64_t end_ns() const noexcept {
    return duration_ns > std::numeric_limits<int64_t>::max() - at.ns
               ? std::numeric_limits<int64_t>::max()
               : at.ns + duration_ns;
  }
  bool has_times() const noexcept {
    return start_fault == DecimalFault::none && duration_fault == DecimalFault::none &&
           at.ns <= std::numeric_limits<int64_t>::max() - duration_ns;
  }
};

/// One end of an arrow.
struct AscendArrow {
  uint64_t id;
  AscendPlace at;
};

/// What is put into the queue between two threads, or taken out of it, by the number of the pair.
struct AscendQueued {
  int64_t pair;
  AscendPlace at;
};

/// An op, module or annotation.
struct AscendRange {
  AscendPlace at;
  int64_t end_ns;
  uint32_t name;
  HostRange::Kind kind;
};

/// What is in a window: numbers of names, processes and threads are those of its own `texts`.
struct AscendFound {
  uint64_t events = 0;
  bool broken = false;  // what follows `events` events is not JSON

  DistinctTexts texts;
  std::vector<std::pair<uint32_t, std::string>> processes;  // `pid`, and its name
  std::vector<AscendRow> rows;
  std::vector<std::pair<uint64_t, std::string>> bad;  // by offset of the event: no number
  // With HostDetail::all.
  std::vector<AscendArrow> sent;              // from calls to operations
  std::vector<AscendArrow> requested, begun;  // from ops to operations
  std::vector<AscendQueued> enqueued, dequeued;
  std::vector<uint64_t> untimed;  // offsets of ranges without valid times
  std::vector<AscendRange> ranges;

  void clear();
};

class AscendEvents {
 public:
  explicit AscendEvents(const OpenOptions& options)
      : host_(options.host), ops_(options.ops), reference_(options.reference) {}

  /// Reads whole events; stops at what is not JSON.
  void parse(const TextBlock& window, bool first, AscendFound& out);

 private:
  struct Time {
    int64_t ns = 0;
    DecimalFault fault = DecimalFault::missing;
  };
  struct Event {
    JsonRaw phase, category, name, start, duration, process, thread, id;
    JsonRaw type, connection, correlation, stream, process_name;
  };

  bool event();
  bool arguments();
  template <class Find>
  bool members(const Find& find);
  void take(uint64_t offset);
  void take_row(uint64_t offset);
  void take_host(uint64_t offset, std::string_view category);
  AscendPlace place();
  Time time(const JsonRaw& raw);
  std::string_view text(const JsonRaw& raw);
  std::string_view string(const JsonRaw& raw, std::string& to);
  uint32_t number(const JsonRaw& raw, uint32_t& last);
  template <class Number = int64_t>
  std::optional<Number> integer(const JsonRaw& raw);

  HostDetail host_;
  bool ops_;
  bool reference_;
  WindowTokens tokens_;
  std::string scratch_, key_, phase_, category_, number_;
  uint64_t window_offset_ = 0;

  AscendFound* out_ = nullptr;
  JsonWalk* json_ = nullptr;
  Event event_;
  uint32_t last_process_ = 0, last_thread_ = 0;
};

}  // namespace kr::trace
