#include "trace/launched.hpp"

namespace kr::trace {

LaunchedOperations::LaunchedOperations(const HostTrace& host) : host_(&host) {
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

}  // namespace kr::trace
