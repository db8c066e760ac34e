#include "job/nccl_calls.hpp"

#include <map>
#include <tuple>
#include <utility>

#include "analyze/run.hpp"
#include "base/saturated.hpp"
#include "job/member.hpp"

namespace kr::job {
namespace {

class NcclSums {
 public:
  /// `kernel`: the name of a kernel, for calls that are not alike.
  NcclCallSums& of(const trace::CollectiveCall& call, std::optional<int32_t> device,
                   std::string_view kernel) {
    const CollectiveKind kind =
        call.name.empty() ? kind_of_kernel(kernel) : kind_of_call(call.name);
    std::string shown = kind != CollectiveKind::other ? to_string(kind) : call.name;
    const auto [at, added] = sums_.try_emplace(
        Key{device, call.group, std::move(shown), call.reduction, call.rank_argument});
    NcclCallSums& sums = at->second;
    if (added) {
      std::tie(sums.device, sums.group, sums.kind, sums.reduction, sums.peer) = at->first;
      sums.group_size = call.group_size;
      sums.group_rank = call.group_rank;
    }
    if (sums.group_rank != call.group_rank) sums.group_rank.reset();
    return sums;
  }

  std::vector<NcclCallSums> take() && {
    std::vector<NcclCallSums> all;
    all.reserve(sums_.size());
    for (auto& [key, sums] : sums_) {
      if (sums.calls == 0) sums.moved_bytes.reset();
      all.push_back(std::move(sums));
    }
    return all;
  }

 private:
  // Device, group, kind, reduction, peer.
  using Key = std::tuple<std::optional<int32_t>, std::string, std::string, std::string,
                         std::optional<int64_t>>;
  std::map<Key, NcclCallSums> sums_;
};

}  // namespace

facts::Computed<NcclCalls> NcclCalls::compute(const facts::Input& run) {
  const trace::Trace& trace = run.trace.trace;
  if (!trace.collectives || trace.collectives->requests.empty()) {
    return facts::Computed<NcclCalls>::absent(
        "the trace has no arguments of NCCL's calls (`nsys export --include-blobs=true` keeps "
        "them)");
  }
  const trace::Collectives& all = *trace.collectives;
  NcclSums sums;
  for (const trace::CollectiveRequest& one : all.requests) {
    const trace::CollectiveCall& call = all.calls[one.call];
    const bool known = one.device != trace::CollectiveRequest::no_device;
    NcclCallSums& to = sums.of(call, known ? std::optional(one.device) : std::nullopt, "");
    ++to.calls;
    to.bytes = add_saturated(to.bytes, call.message_bytes.value_or(0));
    if (!call.bytes) to.moved_bytes.reset();
    if (to.moved_bytes) to.moved_bytes = add_saturated(*to.moved_bytes, *call.bytes);
  }
  for (const trace::CollectiveOperation& one : all.operations) {
    const trace::Operation& kernel = trace.operations[one.operation];
    NcclCallSums& to = sums.of(all.calls[one.call], trace.track(kernel.track).device,
                               trace.names.get(kernel.name).text);
    ++to.kernels;
    to.kernel_ns = add_saturated(to.kernel_ns, kernel.duration_ns);
  }
  return NcclCalls{std::move(sums).take()};
}

}  // namespace kr::job
