// Which events of a text belong to a part of it, for `kr cut`.
#include <algorithm>
#include <limits>
#include <string_view>

#include "base/hash.hpp"
#include "trace/cut_plan.hpp"
#include "trace/readers/kineto_events.hpp"

namespace kr::trace {

void EventParser::note_time(const JsonWalk& json) {
  const std::string_view is = phase(json);
  out_->any_time = out_->any_time || is == "M";
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  if (!find_times(json, is, start_ns, end_ns)) return;
  out_->begin_ns = std::min(out_->begin_ns, start_ns);
  out_->end_ns = std::max(out_->end_ns, end_ns);
}

void EventParser::keep(const JsonWalk& json, std::string_view text) {
  if (!kept_) {
    const std::string_view is = phase(json);
    if (is == "s" || is == "t" || is == "f") {
      kept_ = keep_arrow(json, is, text);
    } else {
      kept_ = belongs(json, is);
    }
  }
  if (!*kept_) return;
  if (!out_->kept.empty()) out_->kept += ",\n";
  out_->kept += text;
}

/// Of what kr does not read: metadata, and what overlaps the time.
bool EventParser::belongs(const JsonWalk& json, std::string_view phase) {
  if (phase == "M") return true;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  if (!find_times(json, phase, start_ns, end_ns)) return false;
  const MergedProcess member = plain_process(json);
  return plan_->overlaps(member.member, start_ns, end_ns);
}

bool EventParser::find_times(const JsonWalk& json, std::string_view phase, int64_t& start_ns,
                             int64_t& end_ns) {
  int64_t duration_ns = 0;
  if (phase.empty() || time(json, event_.start, start_ns) != DecimalFault::none) return false;
  if (phase == "X" && time(json, event_.duration, duration_ns) != DecimalFault::none) return false;
  if (start_ns > std::numeric_limits<int64_t>::max() - duration_ns) return false;
  end_ns = start_ns + duration_ns;
  return true;
}

/// From calls to operations, by their correlation; of others, both ends have to overlap the time.
bool EventParser::keep_arrow(const JsonWalk& json, std::string_view phase, std::string_view text) {
  const std::string_view category = event_.category.kind == JsonRaw::Kind::string
                                        ? json.plain(event_.category.text, scratch_)
                                        : std::string_view();
  if (category == "ac2g") {
    const auto correlation = integer(json, event_.id);
    return correlation && plan_->launches(plain_process(json).member, *correlation);
  }
  if (!belongs(json, phase)) return false;
  const uint64_t key =
      hash_numbers(hash_bytes(category), hash_bytes(event_.id.text)) ^ hash_bytes(event_.name.text);
  out_->arrows.push_back({key, phase == "s", std::string(text)});
  return false;
}

}  // namespace kr::trace
