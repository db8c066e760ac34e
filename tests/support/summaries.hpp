// RunSummaries written down in a test: sums follow from the names.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyze/summary.hpp"

namespace kr::test {

/// Labels are given in the order of the builder's dimensions.
struct NamedTime {
  std::string name;
  std::vector<std::string> labels;
  int64_t elapsed_ns = 0;
  int64_t total_ns = 0;
  int64_t instances = 1;
  OperationKind kind = OperationKind::kernel;
};

class SummaryBuilder {
 public:
  SummaryBuilder(std::string id, std::vector<std::string> dimensions) {
    run_.id = std::move(id);
    run_.source = "trace.csv";
    run_.format = "nsys-gpu-trace-csv";
    run_.engine = "vllm";
    run_.model = "llama";
    run_.choice_why = "named by the user";
    for (std::string& name : dimensions) run_.dimensions.push_back({std::move(name), {}});
  }

  SummaryBuilder& add(NamedTime time) {
    analyze::NameSum sum;
    sum.name = std::move(time.name);
    sum.kind = time.kind;
    sum.instances = time.instances;
    sum.elapsed_ns = time.elapsed_ns;
    sum.busy_ns = time.elapsed_ns;
    sum.total_ns = time.total_ns;
    sum.min_ns = time.instances > 0 ? time.total_ns / time.instances / 2 : 0;
    sum.max_ns = time.total_ns - sum.min_ns * (time.instances - 1);
    sum.mean_ns = static_cast<double>(time.total_ns) /
                  static_cast<double>(std::max<int64_t>(time.instances, 1));
    for (size_t i = 0; i < time.labels.size(); ++i) {
      const bool classified = time.labels[i] != "unclassified";
      sum.labels.push_back({time.labels[i],
                            classified ? "rules.kr:" + std::to_string(10 + i) : std::string(),
                            classified});
    }
    run_.names.push_back(std::move(sum));
    return *this;
  }

  SummaryBuilder& device(int32_t device, std::string name, int64_t compute_ns,
                         int64_t exposed_communication_ns, int64_t exposed_memory_ns,
                         int64_t idle_ns) {
    analyze::DeviceSum sum;
    sum.device = device;
    sum.name = std::move(name);
    sum.operations = 1;
    sum.compute_ns = compute_ns;
    sum.exposed_communication_ns = exposed_communication_ns;
    sum.communication_ns = exposed_communication_ns + compute_ns / 10;
    sum.exposed_memory_ns = exposed_memory_ns;
    sum.memory_ns = exposed_memory_ns + compute_ns / 50;
    sum.idle_ns = idle_ns;
    sum.busy_ns = compute_ns + exposed_communication_ns + exposed_memory_ns;
    sum.span_ns = sum.busy_ns + idle_ns;
    run_.devices.push_back(std::move(sum));
    return *this;
  }

  /// For what the builder has no word for.
  analyze::RunSummary& run() { return run_; }

  analyze::RunSummary finish(int64_t non_gpu_ns) {
    for (const analyze::NameSum& name : run_.names) {
      run_.gpu_elapsed_ns += name.elapsed_ns;
      run_.gpu_busy_ns += name.busy_ns;
      run_.gpu_total_ns += name.total_ns;
      run_.operations += name.instances;
    }
    run_.non_gpu_ns = non_gpu_ns;
    run_.wall_ns = run_.gpu_elapsed_ns + non_gpu_ns;
    for (size_t i = 0; i < run_.dimensions.size(); ++i) {
      run_.dimensions[i].labels = sums(i);
      for (const analyze::NameSum& name : run_.names) {
        if (name.labels[i].explained) {
          run_.dimensions[i].explained_ns += name.total_ns;
        } else {
          ++run_.dimensions[i].unexplained_names;
        }
      }
    }
    std::sort(run_.names.begin(), run_.names.end(),
              [](const analyze::NameSum& a, const analyze::NameSum& b) {
                return std::tie(b.elapsed_ns, b.total_ns, a.name, a.kind) <
                       std::tie(a.elapsed_ns, a.total_ns, b.name, b.kind);
              });
    return std::move(run_);
  }

 private:
  std::vector<analyze::LabelSum> sums(size_t dimension) const {
    std::map<std::string, analyze::LabelSum> by_label;
    for (const analyze::NameSum& name : run_.names) {
      analyze::LabelSum& sum = by_label[name.labels[dimension].label];
      sum.label = name.labels[dimension].label;
      sum.elapsed_ns += name.elapsed_ns;
      sum.busy_ns += name.busy_ns;
      sum.total_ns += name.total_ns;
      sum.instances += name.instances;
    }
    std::vector<analyze::LabelSum> all;
    for (auto& [label, sum] : by_label) all.push_back(std::move(sum));
    std::sort(all.begin(), all.end(), [](const analyze::LabelSum& a, const analyze::LabelSum& b) {
      return std::tie(b.elapsed_ns, b.total_ns, a.label) <
             std::tie(a.elapsed_ns, a.total_ns, b.label);
    });
    return all;
  }
  analyze::RunSummary run_;
};

}  // namespace kr::test
