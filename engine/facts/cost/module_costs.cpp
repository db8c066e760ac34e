#include "cost/module_costs.hpp"

#include <algorithm>
#include <utility>

#include "cost/rates.hpp"

namespace kr::cost {
namespace {

using trace::FlopWidth;

constexpr double ns_per_s = 1e9;

std::optional<double> rate_of(std::optional<double> amount, int64_t ns) {
  if (!amount || ns == 0) return std::nullopt;
  return *amount / static_cast<double>(ns) * ns_per_s;
}

/// Of the types of a width, which a profile does not tell apart.
std::pair<std::optional<double>, std::optional<double>> peaks_of_types(const ncu::GpuPeaks* gpu,
                                                                       FlopWidth width) {
  const auto peak = [&](ElementType type, bool tf32 = false) { return peak_of(gpu, type, tf32); };
  switch (width) {
    case FlopWidth::bits8:
      return {peak(ElementType::fp8), peak(ElementType::int8)};
    case FlopWidth::bits16:
      return {peak(ElementType::fp16), peak(ElementType::bf16)};
    case FlopWidth::bits32:
      return {peak(ElementType::fp32), peak(ElementType::fp32, true)};
    case FlopWidth::bits64:
      return {peak(ElementType::fp64), peak(ElementType::fp64)};
    case FlopWidth::any:
      break;
  }
  return {};
}

/// The bandwidths of the devices of a subtree.
struct Bandwidths {
  std::optional<double> one;
  bool found = false;  // of some device
  bool differ = false;

  void add(std::optional<double> more) {
    differ = differ || (found && one != more);
    one = found ? one : more;
    found = true;
  }
  void add(const Bandwidths& more) {
    if (more.found) add(more.one);
    differ = differ || more.differ;
  }
};

}  // namespace

std::optional<double> peak_of_width(const ncu::GpuPeaks* gpu, FlopWidth width) {
  const auto [one, other] = peaks_of_types(gpu, width);
  return one && one == other ? one : std::nullopt;
}

std::optional<double> reached_of_width(const ncu::GpuPeaks* sheet, const ncu::GpuPeaks* measured,
                                       FlopWidth width) {
  if (!peak_of_width(sheet, width)) return std::nullopt;
  const auto [one, other] = peaks_of_types(measured, width);
  return std::max(one, other);  // nothing is less than any number
}

std::optional<double> SubtreeCost::flops() const {
  std::optional<double> sum;
  for (const std::optional<double>& one : by_width_) {
    if (one) sum = sum.value_or(0) + *one;
  }
  return sum;
}

std::optional<int64_t> SubtreeCost::bytes() const {
  return too_many_bytes_ ? std::nullopt : bytes_;
}

std::optional<double> SubtreeCost::flops_per_s() const {
  return rate_of(flops(), flops_ns_);
}

std::optional<double> SubtreeCost::bytes_per_s() const {
  const std::optional<int64_t> sum = bytes();
  return rate_of(sum ? std::optional(static_cast<double>(*sum)) : std::nullopt, bytes_ns_);
}

std::optional<double> SubtreeCost::intensity() const {
  const std::optional<double> work = flops();
  const std::optional<int64_t> traffic = bytes();
  if (!all_both_ || !work || !traffic || *traffic == 0) return std::nullopt;
  return *work / static_cast<double>(*traffic);
}

std::optional<double> SubtreeCost::peak(Peaks of, FlopWidth width) const {
  return of == Peaks::published ? peak_of_width(sheet_, width)
                                : reached_of_width(sheet_, measured_, width);
}

std::optional<double> SubtreeCost::seconds_at_peak(Peaks of) const {
  if (!flops()) return std::nullopt;
  double seconds = 0;
  for (const FlopWidth width : trace::all_flop_widths) {
    const std::optional<double> work = flops(width);
    if (!work || *work == 0) continue;
    const std::optional<double> peak_of_these = peak(of, width);
    if (!peak_of_these) return std::nullopt;
    seconds += *work / *peak_of_these;
  }
  return seconds;
}

std::optional<double> SubtreeCost::peak_flops_per_s(Peaks of) const {
  const std::optional<double> seconds = seconds_at_peak(of);
  if (!seconds || *seconds == 0) return std::nullopt;
  return *flops() / *seconds;
}

std::optional<double> SubtreeCost::flops_peak_ratio(Peaks of) const {
  const std::optional<double> rate = flops_per_s();
  const std::optional<double> peak = peak_flops_per_s(of);
  if (!rate || !peak) return std::nullopt;
  return *rate / *peak;
}

std::optional<double> SubtreeCost::bytes_peak_ratio(Peaks of) const {
  const std::optional<double> rate = bytes_per_s();
  const std::optional<double> peak = peak_bytes_per_s(of);
  if (!rate || !peak) return std::nullopt;
  return *rate / *peak;
}

std::string_view SubtreeCost::bound() const {
  const std::optional<double> compute_s = seconds_at_peak(Peaks::published);
  const std::optional<double> bandwidth = peak_bytes_per_s();
  if (!all_both_ || !compute_s || !bytes() || !bandwidth) return {};
  const double memory_s = static_cast<double>(*bytes()) / *bandwidth;
  if (*compute_s == 0 && memory_s == 0) return {};
  return *compute_s > memory_s ? "compute" : "memory";
}

void SubtreeCost::add(const SubtreeCost& child) {
  for (size_t i = 0; i < by_width_.size(); ++i) {
    if (child.by_width_[i]) by_width_[i] = by_width_[i].value_or(0) + *child.by_width_[i];
  }
  if (child.bytes_) {
    int64_t sum = bytes_.value_or(0);
    too_many_bytes_ |= __builtin_add_overflow(sum, *child.bytes_, &sum);
    bytes_ = sum;
  }
  too_many_bytes_ |= child.too_many_bytes_;
  flops_ns_ += child.flops_ns_;
  bytes_ns_ += child.bytes_ns_;
  all_both_ = all_both_ && child.all_both_;
}

void SubtreeCost::say(const trace::NodeCost& own, int64_t total_ns) {
  // What it says covers the whole subtree, so the other amount has to cover that, too.
  bool both = all_both_;
  if (own.has_flops() && own.bytes) {
    both = true;
  } else if (own.has_flops()) {
    both = bytes_ && bytes_ns_ == total_ns;
  } else if (own.bytes) {
    both = flops() && flops_ns_ == total_ns;
  }
  SubtreeCost amounts;
  amounts.by_width_ = own.flops;
  amounts.bytes_ = own.bytes;
  add(amounts);
  if (own.has_flops()) flops_ns_ = total_ns;
  if (own.bytes) bytes_ns_ = total_ns;
  all_both_ = both;
}

std::vector<SubtreeCost> subtree_costs(const trace::ModuleTrace& trace, size_t step,
                                       std::span<const trace::ModuleNode> nodes,
                                       const TreeGpu& gpu) {
  std::vector<SubtreeCost> sums(nodes.size());
  if (!trace.costs) return sums;
  const trace::ModuleCosts& costs = *trace.costs;
  std::vector<const trace::NodeCost*> own_of(nodes.size(), nullptr);
  for (const trace::NodeCost& one : costs.nodes) {
    if (one.step == step) own_of[one.node] = &one;
  }
  const double published = gpu.sheet == nullptr ? 0 : gpu.sheet->dram_bytes_per_s;
  const double measured = gpu.measured == nullptr ? 0 : gpu.measured->dram_bytes_per_s;
  const auto peak_of_device = [&](const trace::ProfiledDevice& device) {
    const std::optional<double> peak = device.peak_bytes_per_s();
    return peak || published <= 0 ? peak : std::optional(published);
  };
  Bandwidths of_all;
  for (const trace::ProfiledDevice& device : costs.devices) of_all.add(peak_of_device(device));
  if (!of_all.found && published > 0) of_all.add(published);
  std::vector<Bandwidths> bandwidths(nodes.size());
  // Backwards, every node's children are complete before it.
  for (size_t i = nodes.size(); i-- > 0;) {
    for (uint32_t child = static_cast<uint32_t>(i) + 1; child < nodes[i].end;
         child = nodes[child].end) {
      sums[i].add(sums[child]);
      bandwidths[i].add(bandwidths[child]);
    }
    if (const trace::NodeCost* const own = own_of[i]; own != nullptr) {
      sums[i].say(*own, nodes[i].total_ns);
      if (own->device < costs.devices.size()) {
        bandwidths[i].add(peak_of_device(costs.devices[own->device]));
      }
    }
    const Bandwidths& of = bandwidths[i].found ? bandwidths[i] : of_all;
    sums[i].sheet_ = gpu.sheet;
    sums[i].measured_ = gpu.measured.get();
    if (of.differ) continue;
    sums[i].bandwidths_[static_cast<size_t>(Peaks::published)] = of.one;
    if (measured > 0) sums[i].bandwidths_[static_cast<size_t>(Peaks::measured)] = measured;
  }
  return sums;
}

}  // namespace kr::cost
