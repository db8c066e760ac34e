#include "ncu/divide.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/hash.hpp"
#include "base/hash_index.hpp"

namespace kr::ncu {
namespace {

using trace::DetailField;
using Shape = std::pair<trace::LaunchShape, trace::LaunchShape>;  // grid and block

constexpr uint32_t no_shape = UINT32_MAX;

bool is_known(const trace::LaunchShape& shape) {
  return shape != trace::LaunchShape{};
}

std::optional<trace::LaunchShape> shape_at(const trace::OperationDetail& detail,
                                           DetailField first) {
  trace::LaunchShape shape{};
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const auto size = detail.get(static_cast<DetailField>(static_cast<size_t>(first) + axis));
    if (!size || *size <= 0 || *size > UINT32_MAX) return std::nullopt;
    shape[axis] = static_cast<uint32_t>(*size);
  }
  return shape;
}

/// Distinct shapes, and which one each detail has.
struct Shapes {
  explicit Shapes(const trace::DetailTable& details) {
    std::map<Shape, uint32_t> numbers;
    of_detail.reserve(details.size());
    for (uint32_t i = 0; i < details.size(); ++i) {
      const auto grid = shape_at(details[i], DetailField::grid_x);
      const auto block = shape_at(details[i], DetailField::block_x);
      if (!grid || !block) {
        of_detail.push_back(no_shape);
        continue;
      }
      const auto [known, added] =
          numbers.try_emplace({*grid, *block}, static_cast<uint32_t>(distinct.size()));
      if (added) distinct.push_back(known->first);
      of_detail.push_back(known->second);
    }
  }

  std::vector<Shape> distinct;
  std::vector<uint32_t> of_detail;
};

/// By row of the labels, that of RunSummary::names. A name has several rows if labels differ by
/// operation.
std::vector<uint32_t> sums_of_rows(const analyze::RunSummary& run,
                                   const analyze::LabelledTrace& labelled) {
  using Key = std::tuple<std::string_view, OperationKind, std::vector<std::string_view>>;
  std::map<Key, uint32_t> sums;
  for (uint32_t i = 0; i < run.names.size(); ++i) {
    const analyze::NameSum& name = run.names[i];
    std::vector<std::string_view> labels;
    for (const analyze::NameSum::LabelResult& one : name.labels) labels.push_back(one.label);
    sums.emplace(Key{name.name, name.kind, std::move(labels)}, i);
  }
  const classify::Labelled& of = labelled.labelled;
  std::vector<uint32_t> out;
  out.reserve(of.rows());
  for (uint32_t row = 0; row < of.rows(); ++row) {
    const trace::OperationName& name = labelled.trace.names.get(of.names[row]);
    std::vector<std::string_view> labels;
    for (const classify::DimensionLabels& one : of.of_names()) {
      labels.push_back(one.by_row[row].label);
    }
    const auto found = sums.find({name.text, name.kind, std::move(labels)});
    out.push_back(found == sums.end() ? UINT32_MAX : found->second);  // a row of no operation
  }
  return out;
}

/// In proportion to measured time, else to instances; to the ns.
template <class Add>
void share_out(int64_t total_ns, const std::vector<uint32_t>& measured,
               const std::vector<MeasuredKernel>& kernels, const Add& add) {
  const bool timed = std::any_of(measured.begin(), measured.end(), [&](uint32_t kernel) {
    return kernels[kernel].duration_ns.value_or(0) > 0;
  });
  const auto weight = [&](uint32_t kernel) {
    return timed ? kernels[kernel].duration_ns.value_or(0) : kernels[kernel].instances;
  };
  double all = 0;
  for (const uint32_t kernel : measured) all += static_cast<double>(weight(kernel));
  int64_t left = total_ns;
  for (const uint32_t kernel : measured) {
    const double part = static_cast<double>(weight(kernel)) / all;
    const bool last = kernel == measured.back();
    const int64_t time =
        last ? left : std::min<int64_t>(left, std::llround(part * static_cast<double>(total_ns)));
    add(kernel, time);
    left -= time;
  }
}

}  // namespace

std::vector<std::vector<ShapeSum>> shapes_of(const analyze::RunSummary& run,
                                             const analyze::LabelledTrace& labelled) {
  const trace::Trace& trace = labelled.trace;
  const trace::OperationDetails& details = *trace.details;
  const Shapes shapes(details.distinct);
  struct Sum {
    uint32_t row, shape;
    int64_t instances, total_ns;
  };
  std::vector<Sum> sums;
  HashIndex index;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const uint32_t shape = shapes.of_detail[details.detail_of[i]];
    if (shape == no_shape) continue;
    const trace::Operation& operation = trace.operations[i];
    const uint32_t row = labelled.labelled.row(i, operation);
    const auto next = static_cast<uint32_t>(sums.size());
    const uint32_t at = index.find_or_add(hash_numbers(row, shape), next, [&](uint32_t known) {
      return sums[known].row == row && sums[known].shape == shape;
    });
    if (at == next) sums.push_back({row, shape, 0, 0});
    ++sums[at].instances;
    sums[at].total_ns += operation.duration_ns;
  }
  const std::vector<uint32_t> name_of = sums_of_rows(run, labelled);
  std::map<std::pair<uint32_t, Shape>, Sum> by_name;  // rows of one name and labels are one
  for (const Sum& sum : sums) {
    Sum& to = by_name[{name_of[sum.row], shapes.distinct[sum.shape]}];
    to.instances += sum.instances;
    to.total_ns += sum.total_ns;
  }
  std::vector<std::vector<ShapeSum>> out(run.names.size());
  for (const auto& [key, sum] : by_name) {
    const auto& [grid, block] = key.second;
    out.at(key.first).push_back({grid, block, sum.instances, sum.total_ns});
  }
  return out;
}

DividedTime divide_time(const analyze::NameSum& name, std::span<const ShapeSum> shapes,
                        const std::vector<uint32_t>& measured,
                        const std::vector<MeasuredKernel>& kernels) {
  std::map<Shape, std::vector<uint32_t>> with_shape;
  for (const uint32_t kernel : measured) {
    const MeasuredKernel& one = kernels[kernel];
    if (is_known(one.grid) && is_known(one.block)) {
      with_shape[{one.grid, one.block}].push_back(kernel);
    }
  }
  DividedTime out;
  out.by_name = {name.instances, name.total_ns, 0};
  std::map<uint32_t, int64_t> times;
  const auto add = [&](uint32_t kernel, int64_t time_ns) { times[kernel] += time_ns; };
  for (const ShapeSum& shape : shapes) {
    const auto same = with_shape.find({shape.grid, shape.block});
    if (same == with_shape.end()) continue;
    share_out(shape.total_ns, same->second, kernels, add);
    out.by_shape.instances += shape.instances;
    out.by_shape.total_ns += shape.total_ns;
    out.by_shape.measured += static_cast<int64_t>(same->second.size());
  }
  out.by_name.instances -= out.by_shape.instances;
  out.by_name.total_ns -= out.by_shape.total_ns;
  if (out.by_name.instances > 0 || out.by_shape.instances == 0) {
    share_out(out.by_name.total_ns, measured, kernels, add);
    out.by_name.measured = static_cast<int64_t>(measured.size());
  }
  for (const uint32_t kernel : measured) {
    const auto time = times.find(kernel);
    if (time != times.end()) out.shares.push_back({kernel, time->second});
  }
  return out;
}

}  // namespace kr::ncu
