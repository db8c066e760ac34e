#include "analyze/activity.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "analyze/run.hpp"
#include "analyze/saved_sums.hpp"

namespace kr::analyze {
namespace {

double ratio(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

constexpr std::array longest_percents{1, 5, 10};

Longest longest_of(int percent, int64_t instances, int64_t total_ns, int64_t of_ns) {
  return {percent, instances, ratio(total_ns, of_ns), ratio(total_ns, instances), total_ns};
}

/// Collects the greatest values. Memory: twice the wanted number.
class Greatest {
 public:
  explicit Greatest(size_t wanted) : wanted_(wanted) { values_.reserve(2 * wanted); }

  void add(int64_t value) {
    if (wanted_ == 0 || value < least_) return;
    values_.push_back(value);
    if (values_.size() == 2 * wanted_) keep_wanted();
  }
  /// In descending order.
  std::vector<int64_t> take() {
    std::sort(values_.begin(), values_.end(), std::greater<>());
    values_.resize(std::min(values_.size(), wanted_));
    return std::move(values_);
  }

 private:
  void keep_wanted() {
    const auto last = values_.begin() + static_cast<std::ptrdiff_t>(wanted_) - 1;
    std::nth_element(values_.begin(), last, values_.end(), std::greater<>());
    least_ = *last;
    values_.resize(wanted_);
  }

  size_t wanted_;
  int64_t least_ = 0;  // smaller values are not needed
  std::vector<int64_t> values_;
};

/// `each` calls its argument with every duration.
template <class Each>
ActivityStatistics statistics_of(std::string type, const Each& each) {
  ActivityStatistics out;
  out.type = std::move(type);
  out.min_ns = std::numeric_limits<int64_t>::max();
  each([&](int64_t ns) {
    ++out.instances;
    out.total_ns += ns;
    out.min_ns = std::min(out.min_ns, ns);
    out.max_ns = std::max(out.max_ns, ns);
  });
  if (out.instances == 0) return out;
  Greatest greatest(static_cast<size_t>(out.instances) / 10);
  each([&](int64_t ns) { greatest.add(ns); });
  const std::vector<int64_t> longest = greatest.take();
  size_t place = 0;
  for (const int percent : longest_percents) {
    const size_t count = static_cast<size_t>(out.instances) * static_cast<size_t>(percent) / 100;
    const int64_t sum = std::accumulate(
        longest.begin(), longest.begin() + static_cast<std::ptrdiff_t>(count), int64_t{0});
    out.longest[place++] = longest_of(percent, static_cast<int64_t>(count), sum, out.total_ns);
  }
  return out;
}

std::optional<double> ratio_of(double a, double b) {
  return a > 0 && b > 0 ? std::optional(b / a) : std::nullopt;
}

ActivityRatio ratio_of_types(size_t run_a, const ActivityStatistics& a, size_t run_b,
                             const ActivityStatistics& b) {
  ActivityRatio out{run_a, a.type, run_b, b.type, {}, {}};
  out.all = ratio_of(ratio(a.total_ns, a.instances), ratio(b.total_ns, b.instances));
  for (size_t i = 0; i < out.longest.size(); ++i) {
    out.longest[i] = ratio_of(a.longest[i].mean_ns, b.longest[i].mean_ns);
  }
  return out;
}

}  // namespace

Activity activity_of(const trace::Trace& trace) {
  const auto of_kind = [&](OperationKind kind) {
    return [&trace, kind](const auto& add) {
      for (const trace::Operation& operation : trace.operations) {
        if (trace.names.get(operation.name).kind == kind) add(operation.duration_ns);
      }
    };
  };
  const auto of_calls = [&](bool driver) {
    return [&trace, driver](const auto& add) {
      if (!trace.host) return;
      for (const trace::Launch& launch : trace.host->launches) {
        if (trace.host->calls[launch.call].driver == driver) add(launch.duration_ns);
      }
    };
  };
  std::vector<ActivityStatistics> out{statistics_of("kernel", of_kind(OperationKind::kernel)),
                                      statistics_of("runtime", of_calls(false)),
                                      statistics_of("driver", of_calls(true)),
                                      statistics_of("memcpy", of_kind(OperationKind::memcpy)),
                                      statistics_of("memset", of_kind(OperationKind::memset))};
  std::erase_if(out, [](const ActivityStatistics& one) { return one.instances == 0; });
  return {std::move(out)};
}

facts::Computed<Activity> Activity::compute(const facts::Input& run) {
  return activity_of(run.trace.trace);
}

std::vector<ActivityRatio> compare_activity(
    const std::vector<const std::vector<ActivityStatistics>*>& runs) {
  std::vector<ActivityRatio> out;
  for (size_t b = 1; b < runs.size(); ++b) {
    for (const ActivityStatistics& one : *runs[0]) {
      for (const ActivityStatistics& other : *runs[b]) {
        if (one.type == other.type) out.push_back(ratio_of_types(0, one, b, other));
      }
    }
  }
  for (size_t run = 0; run < runs.size(); ++run) {
    for (size_t b = 1; b < runs[run]->size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        out.push_back(ratio_of_types(run, (*runs[run])[a], run, (*runs[run])[b]));
      }
    }
  }
  return out;
}

void Activity::saved(facts::Fields& io, const RunSummary& run) {
  int64_t left = run.operations, left_ns = run.gpu_total_ns;
  io.list("types", types, [&](facts::Fields& row, ActivityStatistics& one) {
    row.text("type", one.type);
    row.amount("instances", one.instances);
    row.amount("total_ns", one.total_ns);
    row.amount("min_ns", one.min_ns);
    row.amount("max_ns", one.max_ns);
    row.rows("longest", one.longest.size(), [&](facts::Fields& part, size_t i) {
      part.check(i < one.longest.size());
      int64_t instances = one.longest[i].instances, total_ns = one.longest[i].total_ns;
      part.amount("instances", instances);
      part.amount("total_ns", total_ns);
      part.check(instances <= one.instances && total_ns <= one.total_ns);
      if (part.reads()) {
        one.longest[i] = longest_of(longest_percents[i], instances, total_ns, one.total_ns);
      }
    });
    if (!row.reads() || !operation_kind_from(one.type)) return;
    row.take_from(left, one.instances);
    row.take_from(left_ns, one.total_ns);
  });
  io.check(left == 0 && left_ns == 0);
}

}  // namespace kr::analyze
