#include "trace/readers/xla_core.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace kr::trace {

std::vector<CoreOp> stretches_of(std::vector<CoreOp>& ops) {
  std::stable_sort(ops.begin(), ops.end(), [](const CoreOp& a, const CoreOp& b) {
    return a.start_ps != b.start_ps ? a.start_ps < b.start_ps : a.end_ps > b.end_ps;
  });
  struct Open {
    CoreOp op;
    bool written = false;
  };
  std::vector<CoreOp> out;
  std::vector<Open> open;
  int64_t now = 0;  // all before is written
  const auto write = [&](Open& one, int64_t until) {
    if (until <= now) return;
    out.push_back({now, until, one.op.id});
    one.written = true;
    now = until;
  };
  const auto close = [&] {
    Open& one = open.back();
    write(one, one.op.end_ps);
    if (!one.written) out.push_back({one.op.start_ps, one.op.start_ps, one.op.id});
    open.pop_back();
  };
  for (const CoreOp& op : ops) {
    while (!open.empty() && open.back().op.end_ps <= op.start_ps) close();
    if (!open.empty()) write(open.back(), op.start_ps);
    now = open.empty() ? op.start_ps : std::max(now, op.start_ps);
    open.push_back({op});
  }
  while (!open.empty()) close();
  std::stable_sort(out.begin(), out.end(), [](const CoreOp& a, const CoreOp& b) {
    return std::tie(a.start_ps, a.end_ps) < std::tie(b.start_ps, b.end_ps);
  });
  return out;
}

}  // namespace kr::trace
