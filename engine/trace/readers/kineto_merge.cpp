#include "trace/readers/kineto_merge.hpp"

namespace kr::trace {

EventMerge::EventMerge(TraceBuilder& out, bool host_side) : out_(&out) {
  if (host_side) host_ = &out.host();
}

void EventMerge::restart(size_t parser) {
  if (parser >= parsers_.size()) parsers_.resize(parser + 1);
  parsers_[parser] = {};
}

void EventMerge::add(const EventRows& rows, size_t parser) {
  Numbers& numbers = parsers_[parser];
  for (const EventRows::NewName& name : rows.new_names) {
    numbers.names.push_back(out_->name(name.text, name.kind));
  }
  for (const EventRows::NewTrack& track : rows.new_tracks) {
    numbers.tracks.push_back(out_->track({track.device, track.stream, {}}));
  }
  Operation* to = out_->add(rows.operations.size());
  for (const Operation& operation : rows.operations) {
    *to++ = {operation.start_ns, operation.duration_ns, numbers.names[operation.name.index],
             numbers.tracks[operation.track.index]};
  }
  for (const Loss& loss : rows.losses) out_->loss(loss.what, loss.first_offset, loss.count);
  if (host_ == nullptr) return;
  out_->add_correlations(rows.correlations.begin(), rows.correlations.size());
  for (const EventRows::HostEvent& event : rows.host) host_event(event);
}

void EventMerge::host_event(const EventRows::HostEvent& event) {
  using Kind = EventRows::HostEvent::Kind;
  const uint32_t on = thread(event);
  if (event.kind == Kind::runtime || event.kind == Kind::driver) {
    host_->launches.push_back(
        {event.correlation, event.start_ns, event.duration_ns, call(event), on});
    return;
  }
  const bool module = event.kind == Kind::module;
  host_->ranges.push_back({event.start_ns, event.start_ns + event.duration_ns,
                           range_name(event.name), on, HostRange::none,
                           module ? HostRange::Kind::module : HostRange::Kind::annotation});
}

uint32_t EventMerge::thread(const EventRows::HostEvent& event) {
  // The length tells where the first ends, whatever stands in it.
  key_ = std::to_string(event.process.size());
  key_.append(1, ' ').append(event.process).append(event.thread);
  const auto [known, added] =
      threads_.try_emplace(key_, static_cast<uint32_t>(host_->threads.size()));
  if (added) host_->threads.push_back({std::string(event.process), std::string(event.thread)});
  return known->second;
}

uint32_t EventMerge::call(const EventRows::HostEvent& event) {
  const bool driver = event.kind == EventRows::HostEvent::Kind::driver;
  key_.assign(driver ? "d" : "r").append(event.name);
  const auto [known, added] = calls_.try_emplace(key_, static_cast<uint32_t>(host_->calls.size()));
  if (added) host_->calls.push_back({std::string(event.name), driver});
  return known->second;
}

uint32_t EventMerge::range_name(std::string_view name) {
  key_.assign(name);
  const auto [known, added] =
      range_names_.try_emplace(key_, static_cast<uint32_t>(host_->range_names.size()));
  if (added) host_->range_names.push_back(key_);
  return known->second;
}

}  // namespace kr::trace
