#include "cost/gaps.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace kr::cost {
namespace {

void sort_by_time(std::vector<Gap>& gaps) {
  std::stable_sort(gaps.begin(), gaps.end(),
                   [](const Gap& a, const Gap& b) { return a.total_ns > b.total_ns; });
}

}  // namespace

std::vector<Gap> gaps_of(const CostedRun& costed, const trace::Trace& trace, int64_t gpu_total_ns) {
  std::map<std::tuple<std::string, std::string, NoCost>, std::pair<int64_t, int64_t>> found;
  for (uint32_t op = 0; op < costed.unknown_ns.size(); ++op) {
    if (costed.unknown_calls[op] == 0) continue;
    const trace::HostOp& one = trace.host->ops->ops[op];
    const NoCost why = one.arguments.empty() ? NoCost::no_shapes : NoCost::no_clause;
    auto& [operations, ns] = found[{one.name, shapes_text(one.arguments), why}];
    operations += costed.unknown_calls[op];
    ns += costed.unknown_ns[op];
  }
  for (const CostedCall& call : costed.calls) {
    const NoCost why = costed.lacks(call);
    if (why != NoCost::above_peak && why != NoCost::no_amounts) continue;
    const trace::HostOp& one = trace.host->ops->ops[costed.ops[call.costed].op];
    auto& [calls, ns] = found[{one.name, shapes_text(one.arguments), why}];
    ++calls;
    ns += call.total_ns;
  }
  std::vector<Gap> gaps;
  const int64_t without_ns = gpu_total_ns - costed.op_ns - costed.graph_ns;
  if (without_ns > 0) gaps.push_back({NoCost::no_op, {}, {}, 0, without_ns});
  if (costed.graph_ns > 0) gaps.push_back({NoCost::graph, {}, {}, 0, costed.graph_ns});
  for (const auto& [key, sums] : found) {
    const auto& [op, shapes, why] = key;
    gaps.push_back({why, op, shapes, sums.first, sums.second});
  }
  sort_by_time(gaps);
  return gaps;
}

std::vector<Gap> by_op(const std::vector<Gap>& gaps) {
  std::map<std::pair<std::string, NoCost>, size_t> places;
  std::vector<Gap> ops;
  for (const Gap& one : gaps) {
    const auto [at, added] = places.try_emplace({one.op, one.why}, ops.size());
    if (added) {
      ops.push_back(one);
      continue;
    }
    ops[at->second].operations += one.operations;
    ops[at->second].total_ns += one.total_ns;
  }
  sort_by_time(ops);
  return ops;
}

}  // namespace kr::cost
