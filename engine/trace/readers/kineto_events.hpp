// Events of a Kineto (Chrome) trace to operations: what one thread does with one window of text.
//
// Names and tracks are numbered by the parser in the order it meets them; what is new in a window
// is listed with it, so that windows merged in the order of the file number them always the same.
// What the host did is listed by its texts.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/distinct_texts.hpp"
#include "base/growing_array.hpp"
#include "trace/host_side.hpp"
#include "trace/readers/json_tokens.hpp"
#include "trace/readers/messages.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// Whole items of the list of events, and what stands around them.
struct EventText {
  std::string_view text;  // json_padding zero bytes follow
  uint64_t offset = 0;    // of its first byte in the decompressed text
  bool first = false;     // it begins the list: no comma comes first
  size_t levels = 1;      // objects and lists that are open around the events
};

struct EventRows {
  struct NewName {
    std::string_view text;
    OperationKind kind;
  };
  struct NewTrack {
    int32_t device;
    int64_t stream;

    friend bool operator==(const NewTrack&, const NewTrack&) = default;
  };
  struct HostEvent {
    enum class Kind : uint8_t { runtime, driver, module, annotation };
    Kind kind;
    int64_t start_ns;
    int64_t duration_ns;
    int64_t correlation;
    std::string_view name, process, thread;
  };
  /// What no trace may hold. The text is JSON up to the end of that event, item `events`.
  struct Fault {
    uint64_t offset;  // of the event
    std::string why;
  };

  GrowingArray<Operation> operations;  // names and tracks in the parser's numbers
  GrowingArray<int64_t> correlations;  // one an operation, where the host side is wanted
  std::vector<NewName> new_names;      // texts are the window's, or of `unquoted`
  std::vector<NewTrack> new_tracks;
  std::vector<HostEvent> host;
  std::vector<std::string_view> new_ranges;  // names of ranges, where these alone are wanted
  std::deque<std::string> unquoted;
  std::vector<Loss> losses;
  uint64_t events = 0;
  bool phases = false;  // some event has a `ph`
  bool broken = false;  // behind `events` items stands what is not JSON
  std::optional<Fault> fault;

  void clear();
};

/// What of the host is read.
enum class HostReading : uint8_t { nothing, range_names, all };

class EventParser {
 public:
  explicit EventParser(HostReading host) : host_(host) {}

  /// Stops at the first event that breaks the format, or at what is not JSON.
  void parse(const EventText& window, EventRows& out);
  /// Forgets its numbers. Whoever merges has to forget them at the same window.
  void restart();
  bool wants_restart() const { return name_bytes_ > name_bytes_limit; }

 private:
  static constexpr size_t name_bytes_limit = size_t{4} << 20;

  struct Event {
    JsonRaw phase, category, name, start, duration, process, thread;
    JsonRaw device, stream, correlation, operation;
  };

  void items(std::string_view text, size_t broken_at);
  bool event(JsonWalk& json);
  bool args(JsonWalk& json);
  bool take(const JsonWalk& json, size_t begin);
  bool take_operation(const JsonWalk& json, OperationKind kind, bool certain);
  std::optional<OperationKind> told_operation(const JsonWalk& json);
  void take_host(const JsonWalk& json, EventRows::HostEvent::Kind kind);
  void take_range_name(const JsonWalk& json, EventRows::HostEvent::Kind kind);
  DecimalFault time(const JsonWalk& json, const JsonRaw& raw, int64_t& ns);
  NameId name_id(std::string_view name, bool in_window, OperationKind kind);
  TrackId track_id(const JsonWalk& json);
  std::optional<int64_t> integer(const JsonWalk& json, const JsonRaw& raw,
                                 std::string_view head = {});
  std::string_view kept(const JsonWalk& json, std::string_view raw);
  void loss(std::string_view what);

  HostReading host_;
  JsonTokens tokens_;
  std::string scratch_, phase_, number_, number_text_;  // texts without escapes, for a moment
  std::string patched_;                                 // a window without its control bytes

  // Of the window and the event being read.
  const EventText* window_ = nullptr;
  EventRows* out_ = nullptr;
  Event event_;
  uint64_t event_offset_ = 0;

  // Of all windows since the last restart.
  NameTable names_;
  DistinctTexts range_names_;
  size_t name_bytes_ = 0;  // of both
  std::map<std::pair<int32_t, int64_t>, uint32_t> tracks_;
  EventRows::NewTrack last_track_{};
  TrackId last_track_id_;
};

}  // namespace kr::trace
