#include "trace/readers/xplane_host.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/integer.hpp"
#include "trace/call_kinds.hpp"

namespace kr::trace {
namespace {

constexpr std::string_view host_process = "/host:CPU";
constexpr std::string_view released_name = "MemoryDeallocation";

}  // namespace

void XPlaneHost::read(XPlane& plane) {
  plane_ = &plane;
  std::vector<XLine> lines;
  std::map<std::string_view, int> named;
  for (const std::string_view message : plane.lines()) {
    lines.push_back(plane.line(message));
    ++named[lines.back().name];
  }
  const size_t names = plane.tables().size();
  kinds_.clear();
  wanted_.clear();
  for (size_t place = 0; place < names; ++place) {
    const std::string_view name = plane.tables().event(static_cast<uint32_t>(place)).name;
    kinds_.push_back(kind_of(name));
    wanted_.push_back(wanted(name, kinds_.back()));
  }
  range_names_.assign(names, HostRange::none);
  calls_.assign(names, HostRange::none);
  for (const XLine& line : lines) {
    thread_ = HostRange::none;
    memory_thread_ = MemoryEvent::no_thread;
    thread_name_ = line.name;
    if (named[line.name] > 1) thread_name_ += fmt::format("/{}", line.id);
    plane.each_event(line, *out_, &wanted_, [&](const XEvent& event) { take(event); });
  }
}

void XPlaneHost::finish() {
  if (!memory_.series.empty()) out_->memory(std::move(memory_));
}

XPlaneHost::Kind XPlaneHost::kind_of(std::string_view name) {
  if (name.starts_with("cuda") || name.starts_with("hip") || name.starts_with("hsa_") ||
      is_driver_call(name)) {
    return Kind::call;
  }
  if (name == "MemoryAllocation" || name == released_name) return Kind::memory;
  // Functions of Python, and of XLA.
  if (name.empty() || name.starts_with('$') || name.find("::") != name.npos) return Kind::other;
  return Kind::range;
}

XWanted XPlaneHost::wanted(std::string_view name, Kind kind) const {
  if (name.starts_with('$')) return XWanted::none;  // a function of Python
  if (kind == Kind::other || (kind == Kind::memory && !memory_wanted_)) {
    return XWanted::with_correlation;
  }
  return XWanted::all;
}

void XPlaneHost::take(const XEvent& event) {
  const auto correlation = event.stats.number(XStat::correlation);
  const bool call = correlation.has_value() || kinds_[event.place] == Kind::call;
  if (!call && kinds_[event.place] == Kind::memory) return add_memory(event);
  const auto step = event.stats.number(XStat::step_num);
  if (!call && host_ == HostDetail::range_names) {
    range_name(event, step);
    return;
  }
  if (host_ != HostDetail::all) return;
  if (event.start_ns < 0 || event.duration_ns < 0) {
    out_->add_dropped("call or range without a valid time", plane_->offset_of(event.at));
    return;
  }
  if (call) {
    add_launch(event, correlation);
  } else if (event.duration_ps > 0 || step) {
    out_->host().ranges.push_back({event.start_ns, event.end_ns(), range_name(event, step),
                                   step ? all_threads() : thread(), HostRange::none,
                                   HostRange::Kind::annotation});
  }
}

void XPlaneHost::add_memory(const XEvent& event) {
  const auto drop = [&](std::string_view what) {
    out_->add_dropped(what, plane_->offset_of(event.at));
  };
  if (event.start_ns < 0) return drop("memory event without a valid time");
  const std::string_view allocator = plane_->tables().text(event.stats.text(XStat::allocator_name));
  if (allocator.empty()) return drop("memory event without an allocator");
  const auto is_bytes = [](std::optional<int64_t> value) {
    return value && *value >= 0 && *value <= max_memory_bytes;
  };
  const auto size = event.stats.number(XStat::allocation_bytes);
  if (!is_bytes(size)) return drop("memory event without a valid number of bytes");
  const auto used = event.stats.number(XStat::bytes_allocated);
  if (!is_bytes(used)) return drop("memory event without a valid total");
  if (memory_thread_ == MemoryEvent::no_thread) {
    memory_thread_ = static_cast<uint32_t>(memory_.threads.size());
    memory_.threads.push_back({std::string(host_process), thread_name_});
  }
  MemoryEvent one;
  one.time_ns = event.start_ns;
  one.bytes = plane_->tables().event(event.place).name == released_name ? -*size : *size;
  one.after.used = *used;
  one.thread = memory_thread_;
  series_of(allocator).events.push_back(one);
}

/// `GPU_0_bfc` is of device 0; what has another name is shown by it.
MemorySeries& XPlaneHost::series_of(std::string_view allocator) {
  const auto known = series_.find(allocator);
  if (known != series_.end()) return memory_.series[known->second];
  series_.emplace(std::string(allocator), memory_.series.size());
  MemorySeries& series = memory_.series.emplace_back();
  series.kind = allocator;
  constexpr std::string_view head = "GPU_";
  constexpr std::string_view tail = "_bfc";
  if (allocator.starts_with(head) && allocator.ends_with(tail)) {
    series.device = integer_from<int32_t>(
        allocator.substr(head.size(), allocator.size() - head.size() - tail.size()));
    if (series.device) series.kind = "gpu";
  }
  return series;
}

/// An event with a correlation that is not named like a function has the name of the kernel.
void XPlaneHost::add_launch(const XEvent& event, std::optional<int64_t> correlation) {
  uint32_t& call = calls_[event.place];
  if (call == HostRange::none) {
    const std::string_view name = plane_->tables().event(event.place).name;
    const bool function = kinds_[event.place] == Kind::call;
    call = out_->call(
        {std::string(function ? name : "(call without a name)"), function && is_driver_call(name)});
  }
  out_->host().launches.push_back({correlation.value_or(Launch::no_correlation), event.start_ns,
                                   event.duration_ns, call, thread()});
}

uint32_t XPlaneHost::range_name(const XEvent& event, std::optional<int64_t> step) {
  const std::string_view name = plane_->tables().event(event.place).name;
  if (step) return out_->range_name(fmt::format("{} step_num={}", name, *step));
  uint32_t& known = range_names_[event.place];
  if (known == HostRange::none) known = out_->range_name(name);
  return known;
}

uint32_t XPlaneHost::thread() {
  if (thread_ == HostRange::none) {
    thread_ = out_->thread({std::string(host_process), thread_name_, false, false});
  }
  return thread_;
}

/// Steps are marked on the thread of the program; kernels may be launched on others.
uint32_t XPlaneHost::all_threads() {
  return out_->thread({std::string(host_process), {}, true, false});
}

}  // namespace kr::trace
