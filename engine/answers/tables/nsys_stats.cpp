#include "tables/nsys_stats.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

#include "analyze/run.hpp"
#include "base/integer.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

template <class Has>
std::string unless_a_run(const Source& source, const Has& has, const char* reason) {
  for (const Run& run : source.runs) {
    if (has(run.get<analyze::LabelledTrace>().trace)) return {};
  }
  return reason;
}

bool has_kind(const trace::Trace& trace, OperationKind kind) {
  return std::any_of(trace.names.begin(), trace.names.end(), [&](const trace::OperationName& name) {
    return name.kind == kind && !is_whole_graph(name);
  });
}

bool has_kernels(const trace::Trace& trace) {
  return has_kind(trace, OperationKind::kernel);
}

bool has_copies(const trace::Trace& trace) {
  return has_kind(trace, OperationKind::memcpy) || has_kind(trace, OperationKind::memset);
}

bool has_detail(const trace::Trace& trace, trace::DetailField field) {
  if (!trace.details) return false;
  for (uint32_t i = 0; i < trace.details->distinct.size(); ++i) {
    if (trace.details->distinct[i].get(field)) return true;
  }
  return false;
}

/// Of a number of 24 bits, above which nsys writes the machine.
constexpr int64_t process_bits = 0xFFFFFF;

}  // namespace

NameLabels::NameLabels(const Source& source, const Run& run) {
  const std::vector<std::string> dimensions = dimensions_of(source);
  dimensions_ = dimensions.size();
  const classify::Labelled& labelled = run.get<analyze::LabelledTrace>().labelled;
  by_name_.resize(run.get<analyze::LabelledTrace>().trace.names.size());
  for (uint32_t row = 0; row < labelled.rows(); ++row) {
    Cells cells;
    cells.reserve(dimensions_);
    for (const std::string& dimension : dimensions) {
      const auto id = source.rules->program().dimension(dimension);
      const classify::DimensionLabels* labels = id ? labelled.find(*id) : nullptr;
      cells.push_back(labels != nullptr ? Cell(labels->by_row[row].label) : Cell());
    }
    std::optional<Cells>& known = by_name_[labelled.names[row].index];
    if (!known) {
      known = std::move(cells);
      continue;
    }
    for (size_t i = 0; i < cells.size(); ++i) {
      if ((*known)[i] != cells[i]) (*known)[i] = Cell();
    }
  }
}

void NameLabels::append(std::optional<trace::NameId> name, Cells& row) const {
  if (name && by_name_[name->index]) {
    const Cells& known = *by_name_[name->index];
    row.insert(row.end(), known.begin(), known.end());
  } else {
    row.resize(row.size() + dimensions_);
  }
}

bool is_whole_graph(const trace::OperationName& name) noexcept {
  return name.kind == OperationKind::kernel && name.text.starts_with("[CUDA graph");
}

std::string_view category_of(const trace::OperationName& name) noexcept {
  if (is_whole_graph(name)) return "CUDA_GRAPH";
  return name.kind == OperationKind::kernel ? "CUDA_KERNEL" : "MEMORY_OPER";
}

Cell pid_of(const trace::HostThread& thread) {
  const auto number = integer_from(thread.process);
  return number ? Cell(*number & process_bits) : Cell();
}

Cell tid_of(const trace::HostThread& thread) {
  return table::cell(integer_from(thread.thread));
}

std::vector<SpreadGroup> by_total(std::vector<SpreadGroup> groups,
                                  const std::vector<analyze::Spread>& spreads) {
  std::erase_if(groups,
                [&](const SpreadGroup& one) { return spreads[one.group].moments.count == 0; });
  std::stable_sort(groups.begin(), groups.end(), [&](const SpreadGroup& a, const SpreadGroup& b) {
    const int64_t left = spreads[a.group].moments.sum;
    const int64_t right = spreads[b.group].moments.sum;
    return std::tie(right, a.text, a.kind) < std::tie(left, b.text, b.kind);
  });
  return groups;
}

int64_t total_of(const std::vector<analyze::Spread>& spreads) noexcept {
  return std::accumulate(
      spreads.begin(), spreads.end(), int64_t{0},
      [](int64_t sum, const analyze::Spread& one) { return sum + one.moments.sum; });
}

std::vector<AliasColumn> time_alias(const std::string& count_title, std::vector<AliasColumn> last,
                                    const std::string& count_id) {
  std::vector<AliasColumn> columns{{"Time (%)", {"share"}, AliasForm::percent},
                                   {"Total Time (ns)", {"total_ns"}},
                                   {count_title, {count_id}},
                                   {"Avg (ns)", {"mean_ns"}},
                                   {"Med (ns)", {"median_ns"}},
                                   {"Min (ns)", {"min_ns"}},
                                   {"Max (ns)", {"max_ns"}},
                                   {"StdDev (ns)", {"stddev_ns"}}};
  columns.insert(columns.end(), last.begin(), last.end());
  return columns;
}

std::string former_id_of(std::string_view id) {
  static constexpr std::pair<std::string_view, std::string_view> names[]{
      {"cuda_gpu_kern_gb_sum", "gpukernsum"},
      {"cuda_gpu_mem_time_sum", "gpumemtimesum"},
      {"cuda_gpu_mem_size_sum", "gpumemsizesum"},
      {"cuda_gpu_sum", "gpusum"},
      {"cuda_gpu_trace", "gputrace"},
      {"cuda_api_sum", "cudaapisum"},
      {"cuda_api_gpu_sum", "apigpusum"},
      {"cuda_kern_exec_sum", "kernexecsum"},
      {"cuda_kern_exec_trace", "kernexectrace"},
      {"nvtx_sum", "nvtxsum"},
      {"nvtx_pushpop_sum", "nvtxppsum"},
      {"nvtx_startend_sum", "nvtxssesum"},
      {"nvtx_kern_sum", "nvtxkernsum"}};
  const auto* const found = std::find_if(std::begin(names), std::end(names),
                                         [&](const auto& one) { return one.first == id; });
  return found == std::end(names) ? std::string() : std::string(found->second);
}

std::string without_kernels(const Source& source) {
  return unless_a_run(source, has_kernels, "no trace contains kernels");
}

std::string without_copies(const Source& source) {
  return unless_a_run(source, has_copies, "no trace contains copies or sets");
}

std::string without_operations(const Source& source) {
  return unless_a_run(
      source, [](const trace::Trace& trace) { return !trace.operations.empty(); },
      "no trace contains operations");
}

std::string without_calls(const Source& source) {
  return unless_a_run(
      source, [](const trace::Trace& trace) { return trace.host && !trace.host->launches.empty(); },
      "no trace contains the host's calls");
}

std::string without_kernel_shapes(const Source& source) {
  return unless_a_run(
      source,
      [](const trace::Trace& trace) { return has_detail(trace, trace::DetailField::grid_x); },
      "no trace contains the grids and thread blocks of kernels");
}

std::string without_copy_sizes(const Source& source) {
  return unless_a_run(
      source,
      [](const trace::Trace& trace) { return has_detail(trace, trace::DetailField::bytes); },
      "no trace contains the sizes of copies and sets");
}

std::string without_details(const Source& source) {
  return unless_a_run(
      source, [](const trace::Trace& trace) { return trace.details && !trace.operations.empty(); },
      "no trace contains operations with launch shapes and sizes");
}

std::string without_launched_kernels(const Source& source) {
  std::string reason = without_kernels(source);
  return reason.empty() ? without_calls(source) : reason;
}

}  // namespace kr::tables
