#include "trace/readers/pftrace_tracks.hpp"

#include <fmt/format.h>

#include "base/integer.hpp"
#include "trace/readers/wire.hpp"

namespace kr::trace {
namespace {

/// `process 4100` is 4100.
std::optional<int64_t> number_behind(std::string_view text, std::string_view head) {
  if (!text.starts_with(head)) return std::nullopt;
  return integer_from(text.substr(head.size()));
}

}  // namespace

uint32_t PftraceTracks::find(uint64_t uuid) {
  if (uuid == last_uuid_ && last_ != none) return last_;
  const auto [at, added] = now_.try_emplace(uuid, static_cast<uint32_t>(tracks_.size()));
  if (added) tracks_.emplace_back();
  last_uuid_ = uuid;
  last_ = at->second;
  return last_;
}

uint32_t PftraceTracks::of_thread(int64_t pid, int64_t tid) {
  const auto [at, added] = threads_.try_emplace({pid, tid}, static_cast<uint32_t>(tracks_.size()));
  if (added) {
    Track& track = tracks_.emplace_back();
    track.described = true;
    track.pid = pid;
    track.tid = tid;
  }
  return at->second;
}

void PftraceTracks::take(std::string_view descriptor) {
  Track track{.described = true};
  uint64_t uuid = 0;
  std::string process_name;
  WireReader message(descriptor);
  for (WireField field; message.next(field);) {
    if (field.type == WireField::Type::varint) {
      if (field.number == 1) uuid = field.value;
      if (field.number == 5) track.parent = field.value;
    } else if (field.type == WireField::Type::bytes) {
      if (field.number == 2 || field.number == 10) track.name = field.bytes;
      if (field.number == 8) track.counter.emplace();
      if (field.number != 3 && field.number != 4 && field.number != 8) continue;
      WireReader part(field.bytes);
      for (WireField one; part.next(one);) {
        const bool number = one.type == WireField::Type::varint;
        if (field.number == 8) {
          if (number && one.number == 4 && one.value != 0) {
            track.counter->multiplier = one.integer();
          }
          if (number && one.number == 5) track.counter->incremental = one.value != 0;
          continue;
        }
        if (number && one.number == 1) track.pid = static_cast<int32_t>(one.value);
        if (number && one.number == 2 && field.number == 4) {
          track.tid = one.integer();
        }
        if (!number && one.number == 6 && field.number == 3) process_name = one.bytes;
        if (!number && one.number == 5 && field.number == 4 && track.name.empty()) {
          track.name = one.bytes;
        }
      }
    }
  }
  if (!process_name.empty() && track.pid && !track.tid) process_names_[*track.pid] = process_name;
  const auto parent = now_.find(track.parent);
  if (track.parent != 0 && track.parent != uuid && parent != now_.end()) {
    track.parent_track = parent->second;
  }
  const uint32_t known = find(uuid);
  if (!tracks_[known].described) {
    tracks_[known] = std::move(track);
  } else if (!(tracks_[known] == track)) {
    now_[uuid] = last_ = static_cast<uint32_t>(tracks_.size());
    tracks_.push_back(std::move(track));
  }
}

/// Calls `found` for the track and those above it until it returns true. There may be a circle.
template <class Found>
void PftraceTracks::above(uint32_t track, const Found& found) const {
  constexpr int max_depth = 64;
  for (int depth = 0; track != none && depth < max_depth; ++depth) {
    const Track& one = tracks_[track];
    if (found(one)) return;
    track = one.parent_track;
    if (track != none || one.parent == 0) continue;
    // Described later than its child.
    const auto at = now_.find(one.parent);
    if (at != now_.end()) track = at->second;
  }
}

std::optional<int64_t> PftraceTracks::process(uint32_t track) const {
  std::optional<int64_t> pid;
  above(track, [&](const Track& one) {
    pid = one.pid ? one.pid : number_behind(one.name, "process ");
    return pid.has_value();
  });
  return pid;
}

std::string PftraceTracks::process_text(uint32_t track) const {
  if (const auto pid = process(track)) return fmt::format("{}", *pid);
  std::string name;
  above(track, [&](const Track& one) {
    name = one.name;
    return false;
  });
  return name;
}

std::string PftraceTracks::thread_text(uint32_t track) const {
  std::optional<int64_t> tid;
  above(track, [&](const Track& one) {
    tid = one.tid ? one.tid : number_behind(one.name, "thread ");
    return tid.has_value();
  });
  return tid ? fmt::format("{}", *tid) : tracks_[track].name;
}

std::string_view PftraceTracks::process_name(int64_t pid) const {
  const auto at = process_names_.find(pid);
  return at != process_names_.end() ? std::string_view(at->second) : std::string_view();
}

}  // namespace kr::trace
