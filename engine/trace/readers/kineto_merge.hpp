// Windows of events, in the order of the file, into a trace: the numbers that parsers gave to names
// and tracks become the trace's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/readers/kineto_events.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

class EventMerge {
 public:
  EventMerge(TraceBuilder& out, bool host_side);

  /// What parser number `parser` found in the next window.
  void add(const EventRows& rows, size_t parser);
  /// That parser has forgotten its numbers.
  void restart(size_t parser);

 private:
  struct Numbers {
    std::vector<NameId> names;
    std::vector<TrackId> tracks;
  };
  /// Numbers of texts, with something beside them.
  using Texts = std::unordered_map<std::string, uint32_t>;
  void host_event(const EventRows::HostEvent& event);
  uint32_t thread(const EventRows::HostEvent& event);
  uint32_t call(const EventRows::HostEvent& event);
  uint32_t range_name(std::string_view name);

  TraceBuilder* out_;
  HostSide* host_ = nullptr;
  std::vector<Numbers> parsers_;
  std::string key_;
  Texts threads_, calls_, range_names_;
};

}  // namespace kr::trace
