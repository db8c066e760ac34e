#include "trace/readers/nccl_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/hash.hpp"
#include "base/join.hpp"
#include "base/plural.hpp"

namespace kr::trace {
namespace {

/// The value, as long as it is said to be the same.
template <class Map, class Value>
void set_only(Map& map, const typename Map::key_type& key, Value value) {
  const auto [at, added] = map.try_emplace(key, value);
  if (!added && at->second != value) at->second.reset();
}

template <class Map>
typename Map::mapped_type get_only(const Map& map, const typename Map::key_type& key) {
  const auto at = map.find(key);
  return at == map.end() ? std::nullopt : at->second;
}

/// By name: whether it is a kernel of NCCL.
std::vector<bool> nccl_kernels(const NameTable& names) {
  std::vector<bool> out;
  out.reserve(names.size());
  for (const OperationName& name : names) {
    out.push_back(name.kind == OperationKind::kernel && name.text.find("nccl") != name.text.npos);
  }
  return out;
}

}  // namespace

uint32_t NcclCalls::call(const NcclCall& call) {
  const auto [at, added] = numbers_.try_emplace(call, static_cast<uint32_t>(calls_.size()));
  if (added) calls_.push_back(call);
  return at->second;
}

void NcclCalls::find_communicators() {
  for (const NcclEvent& event : events_) {
    if (event.call == NcclEvent::no_call) continue;
    const NcclArguments& made = call_of(event).arguments;
    if (!made.communicator || !made.ranks) continue;
    set_only(ranks_, *made.communicator, *made.ranks);
    if (made.rank) set_only(rank_, Place{event.process, made.communicator}, *made.rank);
  }
}

void NcclCalls::find_windows() {
  std::stable_sort(events_.begin(), events_.end(), [](const NcclEvent& a, const NcclEvent& b) {
    return std::tie(a.thread, a.start_ns, b.end_ns) < std::tie(b.thread, b.start_ns, a.end_ns);
  });
  const auto count = [this] { return static_cast<uint32_t>(operations_.size()); };
  uint32_t depth = 0, group = 0;
  int64_t call_end_ns = 0;
  for (size_t i = 0; i < events_.size(); ++i) {
    const NcclEvent& event = events_[i];
    if (i == 0 || events_[i - 1].thread != event.thread) {
      depth = 0;
      call_end_ns = std::numeric_limits<int64_t>::min();
      of_thread_.resize(size_t{event.thread} + 1);
      of_thread_.back().first = static_cast<uint32_t>(windows_.size());
    }
    // What a call calls itself is a part of it.
    if (event.start_ns < call_end_ns) continue;
    switch (event.function) {
      case NcclFunction::operation:
        call_end_ns = event.end_ns;
        operations_.push_back(event);
        if (depth == 0) windows_.push_back({event.start_ns, event.end_ns, count() - 1, count()});
        break;
      case NcclFunction::group_start:
        if (depth++ == 0) group = count();
        break;
      case NcclFunction::group_end:
        if (depth > 0 && --depth == 0 && group < count()) {
          windows_.push_back({event.start_ns, event.end_ns, group, count()});
        }
        break;
      case NcclFunction::none:
      case NcclFunction::other:
        break;
    }
    of_thread_.back().second = static_cast<uint32_t>(windows_.size());
  }
  events_ = {};
}

std::vector<NcclCalls::Kernel> NcclCalls::find_kernels(TraceBuilder& out) {
  std::unordered_map<int64_t, uint32_t, NumberHash> window_of;  // by correlation
  for (const Launch& launch : out.host().launches) {
    if (launch.correlation == Launch::no_correlation || launch.thread >= of_thread_.size())
      continue;
    const auto [first, last] = of_thread_[launch.thread];
    const auto next = std::upper_bound(
        windows_.begin() + first, windows_.begin() + last, launch.start_ns,
        [](int64_t time_ns, const Window& window) { return time_ns < window.start_ns; });
    if (next == windows_.begin() + first || launch.start_ns >= std::prev(next)->end_ns) continue;
    window_of.try_emplace(launch.correlation,
                          static_cast<uint32_t>(std::prev(next) - windows_.begin()));
  }
  const std::vector<bool> is_nccl = nccl_kernels(out.names());
  std::vector<Kernel> kernels;
  for (size_t i = 0; i < out.operations() && !window_of.empty(); ++i) {
    if (!is_nccl[out.added()[i].name.index]) continue;
    const auto at = window_of.find(out.correlations()[i]);
    if (at == window_of.end()) continue;
    kernels.push_back({static_cast<uint32_t>(i), at->second});
    ++windows_[at->second].kernels;
  }
  return kernels;
}

void NcclCalls::find_devices(const std::vector<Kernel>& kernels, TraceBuilder& out) {
  for (const Kernel& kernel : kernels) {
    const Window& window = windows_[kernel.window];
    const int32_t device = out.tracks()[out.added()[kernel.operation].track.index].device;
    for (uint32_t i = window.first; i < window.last; ++i) {
      const NcclEvent& event = operations_[i];
      set_only(device_, Place{event.process, std::nullopt}, device);
      if (event.call == NcclEvent::no_call) continue;
      set_only(device_, Place{event.process, call_of(event).arguments.communicator}, device);
    }
  }
}

int32_t NcclCalls::device_of(const NcclEvent& event) const {
  const auto at = device_.find({event.process, call_of(event).arguments.communicator});
  const auto device =
      at != device_.end() ? at->second : get_only(device_, {event.process, std::nullopt});
  return device.value_or(CollectiveRequest::no_device);
}

std::optional<int64_t> NcclCalls::ranks_of(const NcclArguments& arguments) const {
  return arguments.communicator ? get_only(ranks_, *arguments.communicator) : std::nullopt;
}

CollectiveCall NcclCalls::described(const NcclEvent& event) const {
  const NcclCall& call = call_of(event);
  const NcclArguments& arguments = call.arguments;
  CollectiveCall out{};
  out.name = call.range;
  if (arguments.communicator) out.group = nccl_communicator_name(*arguments.communicator);
  out.group_size = ranks_of(arguments);
  out.group_rank = get_only(rank_, {event.process, arguments.communicator});
  out.rank_argument = arguments.peer;
  out.reduction = arguments.reduction;
  out.message_bytes = arguments.bytes;
  if (arguments.bytes) {
    out.bytes = nccl_total_bytes(call.range, *arguments.bytes, out.group_size);
  }
  return out;
}

/// Of each of its kernels. What the calls do not agree on is not known of the kernel.
CollectiveCall NcclCalls::described(const Window& window) const {
  std::optional<CollectiveCall> out;
  std::optional<CollectiveCall> first;
  std::set<std::string> communicators;
  std::set<uint32_t> distinct;
  uint32_t calls = 0;
  const auto add = [](std::optional<int64_t>& sum, std::optional<int64_t> value) {
    const bool known = sum && value && *sum + *value <= max_nccl_bytes;
    sum = known ? std::optional(*sum + *value) : std::nullopt;
  };
  for (uint32_t i = window.first; i < window.last; ++i) {
    const uint32_t call = operations_[i].call;
    const CollectiveCall one =
        call != NcclEvent::no_call ? described(operations_[i]) : CollectiveCall{};
    if (one.message_bytes == 0) continue;
    ++calls;
    distinct.insert(call);
    communicators.insert(one.group);
    if (!out) {
      out = first = one;
      continue;
    }
    add(out->message_bytes, one.message_bytes);
    add(out->bytes, one.bytes);
    if (out->name != one.name) out->name.clear();
    if (out->rank_argument != one.rank_argument) out->rank_argument.reset();
    if (out->reduction != one.reduction) out->reduction.clear();
  }
  if (!out) return {};
  if (window.kernels == calls && distinct.size() == 1) return *first;
  if (communicators.size() > 1) {
    // Such kernels are compared where they are of the same communicators.
    const bool known = communicators.find("") == communicators.end();
    out->group = known ? join(communicators, "+") : "";
    out->group_size.reset();
    out->group_rank.reset();
  }
  if (window.kernels > 1) {
    out->message_bytes.reset();
    out->bytes.reset();
    // They may be of different kinds, which their names say.
    if (calls > 1) out->name.clear();
  }
  return *out;
}

void NcclCalls::add_kernels(const std::vector<Kernel>& kernels, TraceBuilder& out) const {
  for (const Kernel& kernel : kernels) {
    const CollectiveCall call = described(windows_[kernel.window]);
    if (call == CollectiveCall{}) continue;
    out.collective(kernel.operation, out.collective_call(call), CollectiveOperation::no_sequence);
  }
}

void NcclCalls::add_requests(TraceBuilder& out) const {
  std::map<std::pair<uint32_t, int64_t>, uint32_t> known;  // by call and process
  size_t of_parts = 0;
  for (const NcclEvent& event : operations_) {
    if (event.call == NcclEvent::no_call) continue;
    const auto [at, added] = known.try_emplace({event.call, event.process});
    if (added) at->second = out.collective_call(described(event));
    out.collective_request({event.start_ns, device_of(event), at->second});
    const NcclCall& call = call_of(event);
    const bool needs_ranks = call.arguments.bytes && nccl_size_is_of_part(call.range);
    if (needs_ranks && !ranks_of(call.arguments)) ++of_parts;
  }
  if (of_parts == 0) return;
  out.warn("unknown-communicator-size",
           fmt::format("{} of NCCL {} the size of one rank's part, and the trace does not contain "
                       "how many ranks the communicator has: it was made before the trace began, "
                       "or NCCL is older than 2.25. Their bytes and bandwidths are not known.",
                       plural(of_parts, "call"), of_parts == 1 ? "has" : "have"),
           "info");
}

void NcclCalls::finish(TraceBuilder& out) {
  find_communicators();
  find_windows();
  const std::vector<Kernel> kernels = find_kernels(out);
  find_devices(kernels, out);
  add_kernels(kernels, out);
  add_requests(out);
}

}  // namespace kr::trace
