#include "trace/launched.hpp"

namespace kr::trace {

/// True where the operations that have a launch are behind each other, in the order of launches.
bool LaunchedOperations::find_in_order() {
  const GrowingArray<uint32_t>& launch_of = host_->launch_of;
  const auto count = static_cast<uint32_t>(launch_of.size());
  uint32_t at = 0;
  while (at < count && launch_of[at] == HostRange::none) ++at;
  uint32_t last = HostRange::none;
  for (; at < count && launch_of[at] != HostRange::none; ++at) {
    if (launch_of[at] == last) continue;
    if (last != HostRange::none && launch_of[at] < last) return false;
    last = launch_of[at];
    begins_.push_back(at);
  }
  begins_.push_back(at);
  while (at < count && launch_of[at] == HostRange::none) ++at;
  return at == count;
}

LaunchedOperations::LaunchedOperations(const HostTrace& host) : host_(&host) {
  if (find_in_order()) return;
  begins_.clear();
  // By launch, where its operations begin: counted one place further on.
  std::vector<uint32_t> begins(host.launches.size() + 1);
  for (const uint32_t launch : host.launch_of) {
    if (launch != HostRange::none) ++begins[launch + 1];
  }
  for (size_t i = 1; i < begins.size(); ++i) {
    if (begins[i] != 0) begins_.push_back(begins[i - 1]);
    begins[i] += begins[i - 1];
  }
  begins_.push_back(begins.back());
  order_.resize(begins.back());
  for (uint32_t i = 0; i < host.launch_of.size(); ++i) {
    const uint32_t launch = host.launch_of[i];
    if (launch != HostRange::none) order_[begins[launch]++] = i;
  }
}

RangeLanes::RangeLanes(const HostTrace& host) : host_(&host) {
  lanes_.reserve(host.threads.size());
  for (uint32_t i = 0; i < host.threads.size(); ++i) lanes_.push_back(host.ranges_of(i));
}

}  // namespace kr::trace
