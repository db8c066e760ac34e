#include "cost/op_costs.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "cost/gaps.hpp"

namespace kr::cost {
namespace {

/// The sums of calls, by what their rows show.
class CallSums {
 public:
  CallSums(const match::CompiledRules& rules, const trace::Trace& trace, const CostedRun& costed)
      : rules_(rules), trace_(trace), costed_(costed), row_of_(costed.ops.size()) {
    for (auto& rows : row_of_) rows.fill(none);
  }

  void add(const CostedCall& call) {
    const NoCost lacks = costed_.lacks(call);
    const bool usable = lacks != NoCost::above_peak && lacks != NoCost::no_amounts;
    const NoCost why = usable ? NoCost::none : lacks;
    uint32_t& row = row_of_[call.costed][static_cast<size_t>(why)];
    if (row == none) row = find_row(costed_.ops[call.costed], why);
    OpCosts& costs = rows_[row];
    costs.sum.add_time(call.total_ns);
    costs.sum.add(costed_, call, kernel_name(trace_, call.longest));
    ++costs.instances;
  }
  /// By op, shapes, precision, clause and reason.
  std::vector<OpCosts> take() {
    std::vector<OpCosts> out;
    out.reserve(rows_.size());
    for (const auto& [key, row] : known_) out.push_back(std::move(rows_[row]));
    return out;
  }

 private:
  static constexpr uint32_t none = UINT32_MAX;
  using Key = std::tuple<std::string, std::string, std::string_view, std::string, NoCost>;

  uint32_t find_row(const CostedOp& one, NoCost why) {
    const trace::HostOp& op = trace_.host->ops->ops[one.op];
    Key key(op.name, shapes_text(op.arguments), word_of(one.cost.type),
            rules_.sources().place(rules_.program().costs.get(one.clause).span), why);
    const auto [at, added] =
        known_.try_emplace(std::move(key), static_cast<uint32_t>(rows_.size()));
    if (added) {
      const auto& [name, shapes, precision, clause, reason] = at->first;
      rows_.push_back({name, shapes, std::string(precision), clause, reason, 0, {}});
    }
    return at->second;
  }

  const match::CompiledRules& rules_;
  const trace::Trace& trace_;
  const CostedRun& costed_;
  std::vector<std::array<uint32_t, no_cost_reasons>> row_of_;  // by costed op and reason
  std::map<Key, uint32_t> known_;
  std::vector<OpCosts> rows_;
};

}  // namespace

std::vector<OpCosts> costs_by_op(const match::CompiledRules& rules, const trace::Trace& trace,
                                 const CostedRun& costed, int64_t gpu_total_ns) {
  CallSums sums(rules, trace, costed);
  for (const CostedCall& call : costed.calls) sums.add(call);
  std::vector<OpCosts> out = sums.take();
  for (const Gap& gap : gaps_of(costed, trace, gpu_total_ns)) {
    // These have a clause, and a row.
    if (gap.why == NoCost::above_peak || gap.why == NoCost::no_amounts) continue;
    OpCosts& row = out.emplace_back();
    row.op = gap.op;
    row.shapes = gap.shapes;
    row.no_cost = gap.why;
    row.instances = gap.operations;
    row.sum.add_time(gap.total_ns);
  }
  std::stable_sort(out.begin(), out.end(), [](const OpCosts& a, const OpCosts& b) {
    return a.sum.total_ns() > b.sum.total_ns();
  });
  return out;
}

}  // namespace kr::cost
