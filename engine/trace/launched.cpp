#include "trace/launched.hpp"

namespace kr::trace {
namespace {

/// Operations by number, of `count` numbers: their places, and where those of each number that
/// occurs begin.
void group_operations(const GrowingArray<uint32_t>& number_of, size_t count,
                      std::vector<uint32_t>& order, std::vector<uint32_t>& occurring) {
  // By number, where its operations begin: counted one place further on.
  std::vector<uint32_t> begins(count + 1);
  for (const uint32_t number : number_of) {
    if (number != HostRange::none) ++begins[number + 1];
  }
  for (size_t i = 1; i < begins.size(); ++i) {
    if (begins[i] != 0) occurring.push_back(begins[i - 1]);
    begins[i] += begins[i - 1];
  }
  occurring.push_back(begins.back());
  order.resize(begins.back());
  for (uint32_t i = 0; i < number_of.size(); ++i) {
    const uint32_t number = number_of[i];
    if (number != HostRange::none) order[begins[number]++] = i;
  }
}

}  // namespace

LaunchedOperations::LaunchedOperations(const HostTrace& host) : host_(&host) {
  group_operations(host.launch_of, host.launches.size(), order_, begins_);
}

CreatedOperations::CreatedOperations(const HostTrace& host) : host_(&host) {
  group_operations(host.creation_of, host.creations.size(), order_, begins_);
}

RangeLanes::RangeLanes(const HostTrace& host) : host_(&host) {
  lanes_.reserve(host.threads.size());
  for (uint32_t i = 0; i < host.threads.size(); ++i) lanes_.push_back(host.ranges_of(i));
}

}  // namespace kr::trace
