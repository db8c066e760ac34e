#include "tables/nsys_ranges.hpp"

#include <limits>
#include <map>

#include "analyze/run.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using trace::HostRange;
using trace::HostTrace;

RangeTitle title_of(const HostTrace& host, const HostRange& range) {
  const std::string& name = host.range_names[range.name];
  if (host.range_texts.empty()) return {{}, name, range.form};
  const trace::RangeText& text = host.range_texts[range.name];
  return {text.domain, text.text.empty() ? name : text.text, range.form};
}

}  // namespace

std::string_view style_of(const RangeTitle& title) noexcept {
  return title.form == HostRange::Form::start_end ? "StartEnd" : "PushPop";
}

RangeGroups::RangeGroups(const HostTrace& host) {
  std::map<RangeTitle, uint32_t> known;
  by_name_.resize(host.range_names.size(), {none, none});
  for (const HostRange& range : host.ranges) {
    if (!is_nvtx(range) || group(range) != none) continue;
    const RangeTitle title = title_of(host, range);
    const auto next = static_cast<uint32_t>(titles_.size());
    const auto [at, added] = known.try_emplace(title, next);
    if (added) titles_.push_back(title);
    by_name_[range.name][place(range)] = at->second;
  }
}

std::vector<SpreadGroup> RangeGroups::spread_groups() const {
  std::vector<SpreadGroup> groups;
  groups.reserve(titles_.size());
  for (const RangeTitle& title : titles_) groups.push_back({title.name, groups.size()});
  return groups;
}

int64_t last_time(const HostTrace& host) {
  int64_t last = 0;
  for (const HostRange& range : host.ranges) {
    if (!is_nvtx(range)) continue;
    const bool open = range.end_ns == std::numeric_limits<int64_t>::max();
    last = std::max(last, open ? range.start_ns : range.end_ns);
  }
  return last;
}

int64_t length_of(const HostRange& range, int64_t last) noexcept {
  int64_t length = 0;
  const bool exceeds =
      __builtin_sub_overflow(std::min(range.end_ns, last), range.start_ns, &length);
  return exceeds ? std::numeric_limits<int64_t>::max() : length;
}

std::string without_ranges(const Source& source) {
  for (const Run& run : source.runs) {
    const HostTrace* const host = run.get<analyze::LabelledTrace>().trace.host.get();
    if (host != nullptr && std::any_of(host->ranges.begin(), host->ranges.end(), is_nvtx))
      return {};
  }
  return "no trace contains NVTX ranges";
}

}  // namespace kr::tables
