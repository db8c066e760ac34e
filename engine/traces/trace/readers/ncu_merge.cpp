#include "trace/readers/ncu_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/join.hpp"
#include "base/plural.hpp"

namespace kr::trace {
namespace {

constexpr const char* duration_remedy =
    "profile with the metric gpu__time_duration.sum (`ncu --csv --metrics "
    "gpu__time_duration.sum`), or the section SpeedOfLight";
constexpr size_t max_unknown_metrics = 5;  // that a message names

int64_t unit_of(int rounded_to) {
  int64_t unit = 1;
  for (int i = 0; i < rounded_to; ++i) unit *= 10;
  return unit;
}

/// What has to be equal for two pages to describe one kernel.
std::string identity(const NcuProfile::Kernel& kernel) {
  return fmt::format("{} {} {}x{}x{} {}x{}x{} {} {}", kernel.id, kernel.device, kernel.grid[0],
                     kernel.grid[1], kernel.grid[2], kernel.block[0], kernel.block[1],
                     kernel.block[2], kernel.cc, kernel.name);
}

bool has_shape(const NcuProfile::Kernel& kernel) {
  return kernel.grid != LaunchShape{} && kernel.block != LaunchShape{};
}

/// Where a list has each metric first. Uses, and leaves empty, an array that has room for all
/// metrics, so that it costs no more than the list.
template <class List>
class KnownMetrics {
 public:
  KnownMetrics(const List& list, std::vector<uint32_t>& places) : list_(list), places_(places) {
    for (size_t i = list.size(); i-- > 0;) places_[list[i].metric] = static_cast<uint32_t>(i);
  }
  ~KnownMetrics() {
    for (const auto& one : list_) places_[one.metric] = nowhere;
  }
  KnownMetrics(const KnownMetrics&) = delete;
  KnownMetrics& operator=(const KnownMetrics&) = delete;

  /// Null: it is not there.
  const auto* find(uint32_t metric) const {
    return places_[metric] == nowhere ? nullptr : &list_[places_[metric]];
  }

  static constexpr uint32_t nowhere = UINT32_MAX;

 private:
  const List& list_;
  std::vector<uint32_t>& places_;
};

bool same_number(const NcuProfile::Value& a, const NcuProfile::Value& b) {
  // Neighbours of as many digits differ by just that.
  const double rounding = static_cast<double>(a.rounding) + static_cast<double>(b.rounding);
  return a.number == b.number || std::abs(a.number - b.number) < rounding * 0.999999;
}

}  // namespace

std::string_view NcuMerge::keep(std::string_view text) {
  return profile_->texts.text(profile_->texts.add(text));
}

void NcuMerge::remember_metric(std::string_view name) {
  const bool known =
      std::find(some_metrics_.begin(), some_metrics_.end(), name) != some_metrics_.end();
  if (!known && some_metrics_.size() < max_unknown_metrics) some_metrics_.emplace_back(name);
}

/// Stays where it is.
NcuMerge::Found& NcuMerge::kernel(const NcuKernel& found) {
  const auto [at, added] = found_.try_emplace({pages_, found.id, found.process});
  Found& kernel = at->second;
  if (added) {
    kernel.kernel = {.name = keep(found.name),
                     .cc = keep(found.cc),
                     .grid = found.grid,
                     .block = found.block,
                     .id = found.id,
                     .process = found.process,
                     .stream = found.stream,
                     .device = found.device,
                     .file = static_cast<uint32_t>(profile_->files.size() - 1)};
    kernel.track = out_->track({found.device, found.stream, {}});
    kernel.offset = found.offset;
    kernel.pages = {pages_};
  }
  return kernel;
}

void NcuMerge::set_duration(Found& to, const NcuDuration& from, bool one_row_each) {
  if (from.duration_ns < 0) {
    to.wrong_duration = from.duration_ns;
    return;
  }
  const bool repeated = from.rank == to.rank && from.duration_ns != *to.kernel.duration_ns;
  if (repeated && !one_row_each) ++repeated_durations_;
  if (from.rank <= to.rank) return;
  to.rank = from.rank;
  to.kernel.duration_ns = from.duration_ns;
  to.rounded_to = from.rounded_to;
}

uint32_t NcuMerge::metric(std::string_view key, const TextPlace& place, size_t at) {
  const std::array<std::string_view, 4> parts = parts_of_ncu_metric(key);
  const std::string base = ncu_unit(parts[3]).base;
  const uint32_t metric = metric_keys_.add(ncu_metric_key({parts[0], parts[1], parts[2], base}));
  if (metric == profile_->metrics.size()) {
    profile_->metrics.push_back({.section = keep(parts[0]),
                                 .item = keep(parts[1]),
                                 .name = keep(parts[2]),
                                 .unit = keep(base),
                                 .printed = keep(parts[3]),
                                 .file = static_cast<uint32_t>(profile_->files.size() - 1),
                                 .line = place.where(at).line.value_or(0)});
  }
  return metric;
}

uint32_t NcuMerge::rule(const NcuProfile::Rule& found) {
  const uint32_t rule =
      rule_keys_.add(fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}", found.section, found.name,
                                 found.type, found.text, found.speedup_type, found.speedup));
  if (rule == profile_->rules.size()) {
    profile_->rules.push_back({.section = keep(found.section),
                               .name = keep(found.name),
                               .type = keep(found.type),
                               .text = keep(found.text),
                               .speedup_type = keep(found.speedup_type),
                               .speedup = found.speedup});
  }
  return rule;
}

void NcuMerge::add(const NcuRows& rows, const TextPlace& place) {
  std::vector<Found*> kernels;
  kernels.reserve(rows.kernels.size());
  for (const NcuKernel& found : rows.kernels) {
    const size_t known = found_.size();
    kernels.push_back(&kernel(found));
    if (rows.one_row_each && found_.size() == known) ++repeated_rows_;
  }
  if (rows.without_id != 0) {
    out_->add_dropped("row without an ID: dropped", place.offset + rows.first_without_id,
                      rows.without_id);
  }
  for (const NcuDuration& found : rows.durations) {
    set_duration(*kernels[found.kernel], found, rows.one_row_each);
  }
  constexpr uint32_t unknown = UINT32_MAX;
  std::vector<uint32_t> metrics(rows.keys.size(), unknown);
  for (const NcuCell& cell : rows.cells) {
    uint32_t& known = metrics[cell.key];
    if (known == unknown) known = metric(rows.keys.text(cell.key), place, cell.at);
    NcuProfile::Kernel& to = kernels[cell.kernel]->kernel;
    if (cell.text) {
      to.texts.push_back({known, keep(*cell.text)});
    } else {
      to.values.push_back({cell.number, known, cell.rounding});
    }
  }
  for (const NcuRuleCell& cell : rows.rules) {
    kernels[cell.kernel]->kernel.rules.push_back(rule(cell.rule));
  }
  for (const std::string_view name : rows.metrics) remember_metric(name);
}

bool NcuMerge::agree(const Found& a, const Found& b) {
  const auto disagree = [&](std::string_view what) {
    ++contradictions_;
    if (contradiction_.empty()) contradiction_ = what;
    return false;
  };
  if (a.rank != 0 && b.rank != 0) {
    const int64_t rounding = unit_of(std::max(a.rounded_to, b.rounded_to));
    const bool same = std::abs(*a.kernel.duration_ns - *b.kernel.duration_ns) < rounding;
    if (!same || a.kernel.process != b.kernel.process) return disagree("duration");
  }
  const KnownMetrics values(a.kernel.values, place_of_);
  for (const NcuProfile::Value& value : b.kernel.values) {
    const NcuProfile::Value* const other = values.find(value.metric);
    if (other != nullptr && !same_number(value, *other)) {
      return disagree(profile_->metrics[value.metric].name);
    }
  }
  return same_texts(a, b) || disagree("text of a metric");
}

bool NcuMerge::same_texts(const Found& a, const Found& b) {
  for (const NcuProfile::Text& text : b.kernel.texts) {
    for (const NcuProfile::Text& other : a.kernel.texts) {
      if (other.metric == text.metric && other.text != text.text) return false;
    }
  }
  return true;
}

/// What only the second has, in its order, behind the first.
template <class List>
void NcuMerge::append_unknown(List& to, const List& from) {
  List added;
  {
    const KnownMetrics known(to, place_of_);
    for (const auto& one : from) {
      if (known.find(one.metric) == nullptr) added.push_back(one);
    }
  }
  to.insert(to.end(), added.begin(), added.end());
}

void NcuMerge::merge(Found& into, Found&& part) {
  NcuProfile::Kernel& to = into.kernel;
  NcuProfile::Kernel& from = part.kernel;
  append_unknown(to.values, from.values);
  append_unknown(to.texts, from.texts);
  for (const uint32_t rule : from.rules) {
    if (std::find(to.rules.begin(), to.rules.end(), rule) == to.rules.end()) {
      to.rules.push_back(rule);
    }
  }
  const bool finer = part.rank == into.rank && part.rounded_to < into.rounded_to;
  if (part.rank > into.rank || finer) {
    into.rank = part.rank;
    into.rounded_to = part.rounded_to;
    to.duration_ns = from.duration_ns;
  }
  if (part.wrong_duration != 0) into.wrong_duration = part.wrong_duration;
  into.pages.insert(into.pages.end(), part.pages.begin(), part.pages.end());
}

void NcuMerge::join() {
  std::unordered_map<std::string, std::vector<size_t>> known;  // by identity, in `kernels_`
  kernels_.reserve(found_.size());
  place_of_.assign(profile_->metrics.size(), UINT32_MAX);
  for (auto& entry : found_) {
    const size_t page = entry.first.page;
    Found& part = entry.second;
    if (pages_ == 1 || !has_shape(part.kernel)) {
      kernels_.push_back(std::move(part));
      continue;
    }
    std::vector<size_t>& same = known[identity(part.kernel)];
    const auto fits = std::find_if(same.begin(), same.end(), [&](size_t at) {
      const Found& other = kernels_[at];
      return other.pages.back() != page && agree(other, part);
    });
    if (fits != same.end()) {
      merge(kernels_[*fits], std::move(part));
      continue;
    }
    same.push_back(kernels_.size());
    kernels_.push_back(std::move(part));
  }
  found_.clear();
}

void NcuMerge::finish(const std::string& shown, bool needs_durations) {
  if (pages_ == 0) {
    out_->warn("no-gpu-work", "ncu printed no page: no kernel was profiled.");
  } else if (found_.empty()) {
    out_->warn("no-gpu-work", "The page has a header and no rows: no kernel was profiled.");
  } else {
    join();
    lay_out(shown, needs_durations);
    report_repeated();
  }
  profile_->kernels.reserve(kernels_.size());
  for (Found& one : kernels_) {
    one.kernel.values.shrink_to_fit();
    profile_->kernels.push_back(std::move(one.kernel));
  }
  out_->ncu(std::move(profile_));
}

void NcuMerge::report_repeated() {
  if (repeated_durations_ != 0) {
    out_->warn(
        "repeated-kernels",
        fmt::format("{} in one page repeat an ID with another duration, and are not counted: "
                    "a page without its header may follow another.",
                    plural(repeated_durations_, "row")));
  }
  if (repeated_rows_ != 0) {
    out_->warn("repeated-kernels",
               fmt::format("{} of one page repeat an ID, and are not counted: a page without its "
                           "header may follow another.",
                           plural(repeated_rows_, "row")));
  }
  if (contradictions_ == 0) return;
  out_->warn("repeated-kernels",
             fmt::format("Kernels of several pages have the same ID, name, grid and block, but "
                         "another `{}`, or another process: they are separate kernels ({}).",
                         contradiction_, plural(contradictions_, "pair")),
             "info");
}

/// One kernel after the other.
void NcuMerge::lay_out(const std::string& shown, bool needs_durations) {
  int64_t now = 0;
  int rounded_to = 0;
  uint64_t unmeasured = 0;
  uint64_t first_unmeasured = std::numeric_limits<uint64_t>::max();
  for (const Found& one : kernels_) {
    const NameId name = out_->name(one.kernel.name, OperationKind::kernel);
    if (one.rank == 0 && one.wrong_duration != 0) {
      out_->add({now, one.wrong_duration, name, one.track});
      continue;
    }
    if (one.rank == 0) {
      ++unmeasured;
      first_unmeasured = std::min(first_unmeasured, one.offset);
      continue;
    }
    rounded_to = std::max(rounded_to, one.rounded_to);
    out_->add({now, *one.kernel.duration_ns, name, one.track});
    if (__builtin_add_overflow(now, *one.kernel.duration_ns, &now)) {
      throw Error(shown, "all durations together do not fit in 64 bits of nanoseconds",
                  base_units_remedy);
    }
  }
  if (unmeasured != 0 && !needs_durations) return;
  if (unmeasured == kernels_.size()) {
    throw Error(shown,
                fmt::format("has no duration of a kernel: its metrics are {}",
                            some_metrics_.empty() ? "none" : kr::join(some_metrics_, ", ")),
                duration_remedy);
  }
  if (unmeasured != 0) {
    out_->add_dropped("kernel without a duration: dropped", first_unmeasured, unmeasured);
    out_->warn("no-duration", fmt::format("{} of {} have no duration and are dropped.", unmeasured,
                                          plural(kernels_.size(), "kernel")));
  }
  out_->warn("times-in-sequence",
             "ncu reports durations but no start times: kernels are read as one after the other, "
             "in order of ID.");
  if (rounded_to != 0) {
    out_->inexact(
        fmt::format("ncu rounded durations to {} ns; `--print-units base` prints "
                    "nanoseconds",
                    unit_of(rounded_to)));
  }
}

}  // namespace kr::trace
