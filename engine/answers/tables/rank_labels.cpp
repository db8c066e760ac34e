// Time by label on each rank, beside the mean of all ranks.
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/scope_parts.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::LabelSum;

struct RankLabelRow : Parts<LabelSum> {
  std::string_view dimension;
  std::string_view label;
  int64_t rank;
  double busy;
  double mean_ns;
};

void add_rank_labels(const Source& source, Rows<RankLabelRow>& rows) {
  for (const std::string& dimension : dimensions_of(source)) {
    std::map<std::string_view, std::vector<const LabelSum*>> by_label;
    for (size_t run = 0; run < source.runs.size(); ++run) {
      const analyze::RunSummary& summary = source.runs[run].summary;
      const auto at = summary.dimension(dimension);
      if (!at) continue;
      for (const LabelSum& sum : summary.dimensions[*at].labels) {
        auto& sums = by_label[sum.label];
        sums.resize(source.runs.size());
        sums[run] = &sum;
      }
    }
    for (const auto& [label, sums] : by_label) {
      long double all_ns = 0;
      for (const auto* sum : sums)
        all_ns += sum == nullptr ? 0 : static_cast<long double>(sum->busy_ns);
      const auto mean_ns = static_cast<double>(all_ns / static_cast<long double>(sums.size()));
      for (size_t run = 0; run < sums.size(); ++run) {
        const LabelSum none;
        const LabelSum& sum = sums[run] == nullptr ? none : *sums[run];
        const auto busy = static_cast<double>(sum.busy_ns);
        rows.add({{sum}, dimension, label, source.rank(run), busy, mean_ns});
      }
    }
  }
}

}  // namespace

Definition rank_labels_part() {
  return TableOf<RankLabelRow>{
      {.id = "rank_labels",
       .title = "labels by rank",
       .doc = "One row per dimension, label that any rank has, and rank.",
       .columns = {{head::dimension, &RankLabelRow::dimension},
                   {head::label, &RankLabelRow::label},
                   {head::rank, &RankLabelRow::rank},
                   {"instances", Unit::count, Role::measure,
                    "Operations of the rank with the label.", &LabelSum::instances},
                   {"busy_ns", Unit::ns, Role::measure,
                    "Their part of the busy time, as in `labels`.", &LabelSum::busy_ns},
                   {head::total_ns, &LabelSum::total_ns},
                   {"over_mean_ns", Unit::ns, Role::measure,
                    "`busy_ns` without the mean of all ranks; negative for a rank that needs less.",
                    [](const RankLabelRow& row) { return row.busy - row.mean_ns; }, as_change},
                   {"busy_over_mean", Unit::factor, Role::measure,
                    "`busy_ns` divided by this mean; empty if it is 0.",
                    [](const RankLabelRow& row) {
                      return row.mean_ns > 0 ? Cell(row.busy / row.mean_ns) : Cell();
                    },
                    optional}},
       .in_short_form = false},
      needs<analyze::RunSummary>,
      add_rank_labels,
      not_several_ranks};
}

}  // namespace kr::tables
