// Time by label on each rank, beside the mean of all ranks.
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

void add_rank_labels(const Source& source, RowSink& sink) {
  for (const std::string& dimension : dimensions_of(source)) {
    std::map<std::string_view, std::vector<const analyze::LabelSum*>> by_label;
    for (size_t run = 0; run < source.runs.size(); ++run) {
      const analyze::RunSummary& summary = source.runs[run].summary;
      const auto at = summary.dimension(dimension);
      if (!at) continue;
      for (const analyze::LabelSum& sum : summary.dimensions[*at].labels) {
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
        const analyze::LabelSum none;
        const analyze::LabelSum& sum = sums[run] == nullptr ? none : *sums[run];
        const auto busy = static_cast<double>(sum.busy_ns);
        sink.row({dimension, label, source.rank(run), sum.instances, sum.busy_ns, sum.total_ns,
                  busy - mean_ns, mean_ns > 0 ? Cell(busy / mean_ns) : Cell()});
      }
    }
  }
}

}  // namespace

const Definition rank_labels_table{
    {.id = "rank_labels",
     .title = "labels by rank",
     .doc = "One row per dimension, label that any rank has, and rank.",
     .columns = {{"dimension", Unit::text, Role::key, "The dimension, such as `substage`."},
                 {"label", Unit::text, Role::key, "The label."},
                 {"rank", Unit::id, Role::key, "The rank."},
                 {"instances", Unit::count, Role::measure,
                  "Operations of the rank with the label."},
                 {"busy_ns", Unit::ns, Role::measure,
                  "Their part of the busy time, as in `labels`."},
                 {"total_ns", Unit::ns, Role::measure, "The sum of their durations."},
                 {"over_mean_ns", Unit::ns, Role::measure,
                  "`busy_ns` without the mean of all ranks; negative for a rank that needs less.",
                  false, true},
                 {"busy_over_mean", Unit::factor, Role::measure,
                  "`busy_ns` divided by this mean; empty if it is 0.", true}},
     .in_short_form = false},
    needs<analyze::RunSummary>,
    add_rank_labels,
    not_several_ranks};

}  // namespace kr::tables
