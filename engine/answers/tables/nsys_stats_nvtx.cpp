// NVTX ranges summed by text, as `nsys stats` does.
#include <algorithm>

#include "analyze/run.hpp"
#include "tables/nsys_ranges.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using trace::HostRange;
using trace::HostTrace;
using Form = HostRange::Form;

enum class Styles : uint8_t { all, push_pop, start_end };

template <Styles styles>
bool is_wanted(const HostRange& range) {
  if (styles == Styles::push_pop) return range.form == Form::push_pop;
  return styles == Styles::all ? is_nvtx(range) : range.form == Form::start_end;
}

struct RangeSumRow : Parts<Run, analyze::Spread, RangeTitle> {
  int64_t all_ns;
};

template <Styles styles>
void add_ranges(const Source& source, Rows<RangeSumRow>& rows) {
  for (const Run& run : source.runs) {
    const HostTrace* const host = run.get<analyze::LabelledTrace>().trace.host.get();
    if (host == nullptr) continue;
    const RangeGroups names(*host);
    const int64_t last = last_time(*host);
    const auto spreads = analyze::spreads(names.titles().size(), [&](const auto& add) {
      for (const HostRange& range : host->ranges) {
        if (!is_wanted<styles>(range)) continue;
        add(names.group(range), length_of(range, last));
      }
    });
    const int64_t all_ns = total_of(spreads);
    for (const SpreadGroup& one : by_total(names.spread_groups(), spreads)) {
      rows.add({{run, spreads[one.group], names.titles()[one.group]}, all_ns});
    }
  }
}

template <Styles styles>
std::string without_style(const Source& source) {
  for (const Run& run : source.runs) {
    const HostTrace* const host = run.get<analyze::LabelledTrace>().trace.host.get();
    if (host == nullptr) continue;
    if (std::any_of(host->ranges.begin(), host->ranges.end(), is_wanted<styles>)) return {};
  }
  return styles == Styles::push_pop ? "no trace contains NVTX ranges that were pushed and popped"
                                    : "no trace contains NVTX ranges that were started and ended";
}

std::vector<AliasColumn> range_alias(bool with_style) {
  std::vector<AliasColumn> columns;
  if (with_style) columns.push_back({"Style", {"style"}});
  columns.push_back({"Range", {"domain", "name"}, AliasForm::scoped});
  return columns;
}

InfoOf<RangeSumRow> range_info(const char* id, const char* title, const std::string& of,
                               bool with_style) {
  return stats_info<RangeSumRow>(
      id, title, "One row per run and text of " + of + ", by descending total time on the host.",
      {range_columns<RangeSumRow>(), time_columns<RangeSumRow>("ranges")},
      time_alias("Instances", range_alias(with_style)));
}

}  // namespace

const Definition nvtx_sum_table = TableOf<RangeSumRow>{
    range_info("nvtx_sum", "ranges of NVTX", "NVTX ranges", true), needs<analyze::LabelledTrace>,
    add_ranges<Styles::all>, without_ranges, facts::Reads::host};

const Definition nvtx_pushpop_sum_table =
    TableOf<RangeSumRow>{range_info("nvtx_pushpop_sum", "push/pop ranges of NVTX",
                                    "NVTX ranges that were pushed and popped", false),
                         needs<analyze::LabelledTrace>, add_ranges<Styles::push_pop>,
                         without_style<Styles::push_pop>, facts::Reads::host};

const Definition nvtx_startend_sum_table =
    TableOf<RangeSumRow>{range_info("nvtx_startend_sum", "start/end ranges of NVTX",
                                    "NVTX ranges that were started and ended", false),
                         needs<analyze::LabelledTrace>, add_ranges<Styles::start_end>,
                         without_style<Styles::start_end>, facts::Reads::host};

}  // namespace kr::tables
