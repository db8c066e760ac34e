// Time by label.
#include "analyze/ranks.hpp"
#include "tables/columns.hpp"
#include "tables/declared_labels.hpp"
#include "tables/definition.hpp"
#include "tables/scope_parts.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::KernelTime;
using analyze::LabelBalance;
using analyze::LabelSum;
using analyze::RunSummary;

struct LabelRow : Parts<RunSummary, LabelSum> {
  std::string_view dimension;
  std::string_view title;
};

void add_labels(const Source& source, Rows<LabelRow>& rows) {
  for (const Run& one : source.runs) {
    const RunSummary& run = one.summary;
    const DeclaredLabels declared(source.rules->program(), run);
    for (const std::string& dimension : dimensions_of(source)) {
      const auto at = run.dimension(dimension);
      if (!at) continue;
      for (const LabelSum& sum : run.dimensions[*at].labels) {
        rows.add({{run, sum}, dimension, declared.title(dimension, sum.label)});
      }
    }
  }
}

struct DeviceLabelRow : Parts<Run, KernelTime> {
  std::string_view dimension;
};

void add_labels_by_device(const Source& source, Rows<DeviceLabelRow>& rows) {
  for (const Run& one : source.runs) {
    for (const KernelTime& time : one.summary.kernel_times) {
      rows.add({{one, time}, one.summary.dimensions[time.dimension].dimension});
    }
  }
}

std::string not_one_job(const Source& source) {
  if (source.runs.size() < 2) return "there is one run only";
  return source.ranks().not_comparable_reason;
}

struct LabelBalanceRow : Parts<LabelBalance> {
  std::string_view dimension;
  int64_t rank;
};

void add_label_balance(const Source& source, Rows<LabelBalanceRow>& rows) {
  for (const std::string& dimension : dimensions_of(source)) {
    for (const LabelBalance& label : analyze::balance_labels(source.summaries(), dimension)) {
      rows.add({{label}, dimension, source.rank(label.most)});
    }
  }
}

}  // namespace

const Definition labels_table = TableOf<LabelRow>{
    {"labels",
     "time by label",
     "One row per run, dimension and label that occurs; those of a dimension add up to the run.",
     {run_column,
      {head::dimension, &LabelRow::dimension},
      {head::label, &LabelSum::label},
      {"title", Unit::text, Role::detail, "The title that the rules give the label.",
       &LabelRow::title, optional},
      {"instances", Unit::count, Role::measure, "Operations with the label.", &LabelSum::instances},
      {head::elapsed_ns, &LabelSum::elapsed_ns},
      {head::total_detail_ns, &LabelSum::total_ns},
      {"busy_ns", Unit::ns, Role::measure,
       "Their part of the busy time of their devices: what no earlier operation on the same device "
       "covers. All labels of a dimension add up to the busy time of all devices.",
       &LabelSum::busy_ns},
      {head::busy_share,
       [](const LabelRow& row) {
         return ratio_of(row.of<LabelSum>().busy_ns, row.of<RunSummary>().gpu_busy_ns);
       }}}},
    needs<analyze::RunSummary>,
    add_labels};

Definition labels_by_device_part() {
  return TableOf<DeviceLabelRow>{
      {.id = "labels_by_device",
       .title = "kernel time by label and device",
       .doc =
           "One row per run, dimension, label and device that has kernels with the label: the time "
           "that no earlier kernel of the device covers.",
       .columns = {run_column,
                   {head::dimension, &DeviceLabelRow::dimension},
                   {head::label, &KernelTime::label},
                   {head::device, &KernelTime::device},
                   {"kernels_ns", Unit::ns, Role::measure,
                    "Of all its kernels; the labels of a dimension add up to `compute_ns` + "
                    "`exposed_communication_ns` of `devices`.",
                    &KernelTime::kernels_ns},
                   {"compute_ns", Unit::ns, Role::measure,
                    "Of its compute kernels, as if there were no others; the labels of a dimension "
                    "add up to `compute_ns` of `devices`.",
                    &KernelTime::compute_ns}},
       .in_short_form = false},
      needs<analyze::RunSummary>,
      add_labels_by_device};
}

Definition label_balance_part() {
  return TableOf<LabelBalanceRow>{
      {"label_balance",
       "load balance of labels across ranks",
       "One row per dimension and label: how evenly its busy time is spread over the ranks.",
       {{head::the_dimension, &LabelBalanceRow::dimension},
        {head::label, &LabelBalance::label},
        {"busy_ns", Unit::ns, Role::measure,
         "Its part of the busy time of their devices, as in `labels`: the sum over all ranks.",
         &LabelBalance::sum_ns},
        {head::mean_of_ranks_ns, &LabelBalance::mean_ns},
        {head::max_of_ranks_ns, &LabelBalance::max_ns},
        {head::max_over_mean, &LabelBalance::max_over_mean},
        {head::max_rank, &LabelBalanceRow::rank}}},
      needs<analyze::RunSummary>,
      add_label_balance,
      not_one_job};
}

}  // namespace kr::tables
