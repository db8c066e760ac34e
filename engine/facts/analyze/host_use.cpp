#include "analyze/host_use.hpp"

#include <algorithm>
#include <vector>

#include "analyze/run.hpp"
#include "analyze/sweep.hpp"
#include "facts/fields.hpp"

namespace kr::analyze {

facts::Computed<HostUse> HostUse::compute(const facts::Input& run) {
  if (!run.trace.trace.host) return facts::Computed<HostUse>::absent(std::string(no_launches));
  const trace::HostTrace& host = *run.trace.trace.host;
  HostUse out;
  if (host.launches.empty()) return out;
  std::vector<UnionSweep> threads(host.threads.size());
  std::vector<bool> called(host.threads.size());
  int64_t last_end = host.launches[0].end_ns();
  for (const trace::Launch& call : host.launches) {
    threads[call.thread].add(call.start_ns, call.end_ns());
    called[call.thread] = true;
    last_end = std::max(last_end, call.end_ns());
  }
  for (const UnionSweep& thread : threads) out.in_calls_ns += thread.covered_ns();
  out.threads = std::count(called.begin(), called.end(), true);
  out.span_ns = last_end - host.launches[0].start_ns;
  return out;
}

void HostUse::saved(facts::Fields& io, const RunSummary&) {
  io.amount("threads", threads);
  io.amount("span_ns", span_ns);
  io.amount("in_calls_ns", in_calls_ns);
}

}  // namespace kr::analyze
