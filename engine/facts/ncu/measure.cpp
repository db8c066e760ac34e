#include "ncu/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "ncu/sources.hpp"

namespace kr::ncu {
namespace {

constexpr double ns_per_second = 1e9;
constexpr std::string_view tensor_prefix = "sm__ops_path_tensor_";

/// What a metric of a profile is for.
struct Use {
  size_t place;
  size_t rank;  // lower is preferred
  double factor;
};

struct TensorUse {
  size_t type;
  bool all_of_type;  // not of one type of results alone
};

/// Ways to know why warps stall; earlier ones are preferred.
struct StallNames {
  std::string_view begin, end;
  bool samples;
};
constexpr StallNames stall_names[] = {
    {"smsp__average_warps_issue_stalled_", "_per_issue_active.ratio", false},
    {"smsp__average_warp_latency_issue_stalled_", ".ratio", false},
    {"Stall ", "", false},
    {"smsp__pcsamp_warps_issue_stalled_", "", true},
    {"group:smsp__pcsamp_warp_stall_reasons:smsp__pcsamp_warps_issue_stalled_", "", true},
};

struct StallUse {
  size_t kind;
  std::string reason;
};

std::optional<TensorUse> tensor_use(std::string_view metric) {
  if (!metric.starts_with(tensor_prefix) || !metric.ends_with(".sum")) return std::nullopt;
  if (metric.find("_sparsity_") != metric.npos) return std::nullopt;
  constexpr std::array<std::pair<std::string_view, TensorType>, 7> types{
      {{"src_fp16", TensorType::fp16},
       {"src_bf16", TensorType::bf16},
       {"src_tf32", TensorType::tf32},
       {"src_fp8", TensorType::fp8},
       {"src_int8", TensorType::int8},
       {"src_fp64", TensorType::fp64},
       {"", TensorType::other}}};
  metric.remove_prefix(tensor_prefix.size());
  const auto* const type = std::find_if(
      types.begin(), types.end(), [&](const auto& one) { return metric.starts_with(one.first); });
  return TensorUse{static_cast<size_t>(type->second), metric.find("_dst_") == metric.npos};
}

std::optional<StallUse> stall_use(std::string_view metric) {
  for (size_t kind = 0; kind < std::size(stall_names); ++kind) {
    const StallNames& names = stall_names[kind];
    const size_t size = names.begin.size() + names.end.size();
    if (!metric.starts_with(names.begin) || !metric.ends_with(names.end)) continue;
    if (metric.size() <= size) continue;
    std::string reason(metric.substr(names.begin.size(), metric.size() - size));
    if (reason.find("not_issued") != reason.npos) return std::nullopt;
    for (char& c : reason) {
      if (c == ' ') c = '_';
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return StallUse{kind, std::move(reason)};
  }
  return std::nullopt;
}

/// What each metric of a profile is for, found once.
class Uses {
 public:
  Uses(const trace::NcuProfile& profile, std::vector<Warning>& warnings) {
    std::unordered_map<std::string_view, std::vector<size_t>> by_name;
    for (size_t i = 0; i < sources().size(); ++i) by_name[sources()[i].name].push_back(i);
    of_metric.resize(profile.metrics.size());
    tensor.resize(profile.metrics.size());
    stalls.resize(profile.metrics.size());
    for (size_t i = 0; i < profile.metrics.size(); ++i) {
      const trace::NcuProfile::Metric& metric = profile.metrics[i];
      tensor[i] = tensor_use(metric.name);
      stalls[i] = stall_use(metric.name);
      const auto known = by_name.find(metric.name);
      if (known == by_name.end()) continue;
      for (const size_t rank : known->second) use(profile, metric, i, rank, warnings);
    }
  }

  std::vector<std::vector<Use>> of_metric;
  std::vector<std::optional<TensorUse>> tensor;
  std::vector<std::optional<StallUse>> stalls;

 private:
  void use(const trace::NcuProfile& profile, const trace::NcuProfile::Metric& metric, size_t number,
           size_t rank, std::vector<Warning>& warnings) {
    const Source& source = sources()[rank];
    if (!source.section.empty() && source.section != metric.section) return;
    // Pages without `--print-details all` have no labels of body items.
    if (!source.item.empty() && source.item != metric.item) return;
    if (is_unit_of(metric.unit, source.units)) {
      of_metric[number].push_back({source.place, rank, source.factor});
      return;
    }
    warnings.push_back(
        {"unknown-unit",
         fmt::format("{}:{}: `{}` is in `{}`, which is not a unit of it ({}): it is left out; "
                     "export the page with `ncu --csv --print-units base`.",
                     profile.files[metric.file], metric.line, metric.name, metric.printed,
                     source.units.substr(0, source.units.find('|')))});
  }
};

/// The inputs of one kernel, and what formulas make of them.
class Formulas {
 public:
  explicit Formulas(std::optional<int64_t> duration_ns) {
    values_.fill(std::nan(""));
    ranks_.fill(SIZE_MAX);
    if (duration_ns && *duration_ns > 0) {
      seconds_ = static_cast<double>(*duration_ns) / ns_per_second;
    }
  }

  void put(const Use& use, double value) {
    if (use.rank >= ranks_[use.place]) return;
    ranks_[use.place] = use.rank;
    values_[use.place] = value * use.factor;
  }

  Measures measures() const {
    Measures out;
    precision(out, 0, Measure::fp16_flops_per_s, Measure::fp16_peak_per_s);
    precision(out, 1, Measure::fp32_flops_per_s, Measure::fp32_peak_per_s);
    precision(out, 2, Measure::fp64_flops_per_s, Measure::fp64_peak_per_s);
    throughputs(out);
    dram(out);
    l2(out);
    launch(out);
    return out;
  }

  std::string_view limiter() const;

 private:
  using Number = std::optional<double>;

  Number at(size_t place) const {
    return std::isnan(values_[place]) ? std::nullopt : Number(values_[place]);
  }
  Number of(size_t precision, Input input) const { return at(place_of(precision, input)); }
  Number of(Other other) const { return at(place_of(other)); }
  static Number product(const Number& a, const Number& b) {
    return a && b ? Number(*a * *b) : std::nullopt;
  }
  static Number sum(const Number& a, const Number& b) {
    return a && b ? Number(*a + *b) : std::nullopt;
  }
  Number rate(const Number& amount) const {
    return amount && seconds_ ? Number(*amount / *seconds_) : std::nullopt;
  }
  Number amount(const Number& per_second) const { return product(per_second, seconds_); }
  Number ratio(Other percent) const {
    const Number value = of(percent);
    return value ? Number(*value / 100) : std::nullopt;
  }

  void precision(Measures& out, size_t one, Measure flops, Measure peak) const {
    const Number cycle = sum(sum(of(one, Input::add), of(one, Input::mul)), of(one, Input::fma));
    const Number all =
        sum(sum(of(one, Input::add_sum), of(one, Input::mul_sum)), of(one, Input::fma_sum));
    out.set(flops, product(cycle, of(one, Input::clock)));
    out.fill(flops, rate(all));
    out.set(peak, product(of(one, Input::peak), of(one, Input::peak_clock)));
  }

  void throughputs(Measures& out) const {
    out.set(Measure::compute_ratio, ratio(Other::compute));
    out.set(Measure::memory_ratio, ratio(Other::memory));
    out.set(Measure::dram_ratio, ratio(Other::dram));
    out.set(Measure::l1_ratio, ratio(Other::l1));
    out.set(Measure::l2_ratio, ratio(Other::l2));
    out.set(Measure::l1_hit_ratio, ratio(Other::l1_hit));
    out.set(Measure::l2_hit_ratio, ratio(Other::l2_hit));
    out.set(Measure::sm_hz, of(Other::sm_hz));
    out.set(Measure::dram_hz, of(Other::dram_hz));
  }

  void dram(Measures& out) const {
    for (const size_t one : {size_t{1}, size_t{2}, size_t{0}}) {
      out.fill(Measure::dram_bytes_per_s, of(one, Input::dram_rate));
      out.fill(Measure::dram_peak_bytes_per_s,
               product(of(one, Input::dram_peak), of(one, Input::dram_peak_clock)));
    }
    const Number parts = sum(of(Other::dram_read), of(Other::dram_write));
    const Number bytes = parts ? parts : of(Other::dram_bytes);
    out.fill(Measure::dram_bytes_per_s, of(Other::dram_rate));
    out.fill(Measure::dram_bytes_per_s, rate(bytes));
    out.set(Measure::dram_bytes, bytes);
    out.fill(Measure::dram_bytes, amount(out.get(Measure::dram_bytes_per_s)));
  }

  void l2(Measures& out) const {
    out.set(Measure::l2_bytes_per_s, of(Other::l2_rate));
    out.fill(Measure::l2_bytes_per_s, rate(of(Other::l2_bytes)));
    out.set(Measure::l2_bytes, of(Other::l2_bytes));
    out.fill(Measure::l2_bytes, amount(out.get(Measure::l2_bytes_per_s)));
    out.set(Measure::l2_peak_bytes_per_s, product(of(Other::l2_peak), of(Other::l2_clock)));
  }

  void launch(Measures& out) const {
    out.set(Measure::ipc, of(Other::ipc));
    out.set(Measure::theoretical_occupancy, ratio(Other::theoretical_occupancy));
    out.set(Measure::achieved_occupancy, ratio(Other::achieved_occupancy));
    out.set(Measure::registers, of(Other::registers));
    out.set(Measure::static_shared_bytes, of(Other::static_shared));
    out.set(Measure::dynamic_shared_bytes, of(Other::dynamic_shared));
    out.set(Measure::waves, of(Other::waves));
  }

  std::array<double, input_count> values_;
  std::array<size_t, input_count> ranks_;
  Number seconds_;
};

struct BlockLimit {
  Other limit;
  std::string_view name;
};
constexpr BlockLimit block_limits[] = {{Other::limit_registers, "registers"},
                                       {Other::limit_shared, "shared_memory"},
                                       {Other::limit_warps, "warps"},
                                       {Other::limit_blocks, "blocks"},
                                       {Other::limit_barriers, "barriers"}};

/// The smallest of the limits of blocks; the first of several. Warps that fill the SM limit nothing
/// else, so they come first.
std::string_view Formulas::limiter() const {
  std::string_view name;
  double least = 0;
  for (const BlockLimit& one : block_limits) {
    const Number limit = of(one.limit);
    if (!limit) continue;
    const bool warps = one.limit == Other::limit_warps;
    if (!name.empty() && (*limit > least || (*limit == least && !warps))) continue;
    name = one.name;
    least = *limit;
  }
  return name;
}

struct TensorSums {
  std::array<double, tensor_types> whole{};  // of metrics of all results
  std::array<double, tensor_types> parts{};
  std::array<bool, tensor_types> has_whole{};
  std::vector<std::string_view> names;  // a page of `raw` and one of `details` may both have one

  void add(const TensorUse& use, std::string_view name, double value) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    names.push_back(name);
    (use.all_of_type ? whole : parts)[use.type] += value;
    has_whole[use.type] = has_whole[use.type] || use.all_of_type;
  }
};

void set_tensor(MeasuredKernel& to, const TensorSums& sums) {
  if (sums.names.empty()) return;
  double all = 0;
  for (size_t type = 0; type < tensor_types; ++type) {
    to.tensor_flops[type] = sums.has_whole[type] ? sums.whole[type] : sums.parts[type];
    all += to.tensor_flops[type];
  }
  to.measures.set(Measure::tensor_flops, all);
  if (to.duration_ns && *to.duration_ns > 0) {
    to.measures.set(Measure::tensor_flops_per_s,
                    all * ns_per_second / static_cast<double>(*to.duration_ns));
  }
}

void set_stalls(MeasuredKernel& to, const trace::NcuProfile::Kernel& kernel, const Uses& uses) {
  size_t kind = SIZE_MAX;
  for (const trace::NcuProfile::Value& value : kernel.values) {
    if (uses.stalls[value.metric]) kind = std::min(kind, uses.stalls[value.metric]->kind);
  }
  if (kind == SIZE_MAX) return;
  to.stalls_are_samples = stall_names[kind].samples;
  for (const trace::NcuProfile::Value& value : kernel.values) {
    const std::optional<StallUse>& use = uses.stalls[value.metric];
    if (!use || use->kind != kind) continue;
    const auto same = [&](const Stall& stall) { return stall.reason == use->reason; };
    if (std::any_of(to.stalls.begin(), to.stalls.end(), same)) continue;
    to.stalls.push_back({use->reason, value.number});
  }
}

}  // namespace

std::vector<MeasuredKernel> measure(const trace::NcuProfile& profile,
                                    std::vector<Warning>& warnings) {
  const Uses uses(profile, warnings);
  std::vector<MeasuredKernel> out;
  out.reserve(profile.kernels.size());
  for (const trace::NcuProfile::Kernel& kernel : profile.kernels) {
    MeasuredKernel& one = out.emplace_back();
    one.name = kernel.name;
    one.cc = kernel.cc;
    one.grid = kernel.grid;
    one.block = kernel.block;
    one.device = kernel.device;
    one.duration_ns = kernel.duration_ns;
    one.rules = kernel.rules;
    Formulas formulas(kernel.duration_ns);
    TensorSums tensor;
    for (const trace::NcuProfile::Value& value : kernel.values) {
      for (const Use& use : uses.of_metric[value.metric]) formulas.put(use, value.number);
      const std::optional<TensorUse>& use = uses.tensor[value.metric];
      if (use) tensor.add(*use, profile.metrics[value.metric].name, value.number);
    }
    one.measures = formulas.measures();
    one.limiter = formulas.limiter();
    set_tensor(one, tensor);
    set_stalls(one, kernel, uses);
  }
  return out;
}

}  // namespace kr::ncu
