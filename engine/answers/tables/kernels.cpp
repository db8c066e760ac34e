// Time by distinct name, of each run and of all ranks.
#include <algorithm>
#include <map>

#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/scope_parts.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::NameSum;
using analyze::RunSummary;

struct KernelRow : Parts<RunSummary, NameSum> {
  const std::vector<std::optional<size_t>>& dimensions;
  std::optional<size_t> ruled;  // the dimension whose rule is shown
};

std::string_view rule_of(const KernelRow& row) {
  const NameSum::LabelResult* by = row.of<NameSum>().label(row.ruled);
  return by != nullptr ? std::string_view(by->rule) : std::string_view();
}

void add_label(const NameSum& name, const std::optional<size_t>& dimension, Cells& cells) {
  const NameSum::LabelResult* label = name.label(dimension);
  cells.push_back(label != nullptr ? Cell(label->label) : Cell());
}

void add_labels_of(const KernelRow& row, Cells& cells) {
  for (const auto& dimension : row.dimensions) add_label(row, dimension, cells);
}

void add_kernels(const Source& source, Rows<KernelRow>& rows) {
  const std::vector<std::string> dimensions = name_dimensions_of(source);
  for (const Run& one : source.runs) {
    const RunSummary& run = one.summary;
    std::vector<std::optional<size_t>> at;
    at.reserve(dimensions.size());
    for (const std::string& dimension : dimensions) at.push_back(run.dimension(dimension));
    const auto ruled =
        run.dimension("substage") ? run.dimension("substage") : run.dimension("kind");
    for (const NameSum& name : run.names) rows.add({{run, name}, at, ruled});
  }
}

/// A name with its labels, over the runs.
struct NameOfRanks {
  const NameSum* name = nullptr;
  size_t run = 0;  // which has `name`
  int64_t instances = 0;
  int64_t busy_ns = 0;
  int64_t total_ns = 0;
  int64_t max_ns = 0;
  size_t most = 0;
};

/// By descending busy time, then as the runs have them.
std::vector<NameOfRanks> names_of_ranks(const Source& source,
                                        const std::vector<std::string>& dimensions) {
  std::map<std::vector<std::string>, size_t> places;
  std::vector<NameOfRanks> all;
  for (size_t i = 0; i < source.runs.size(); ++i) {
    const RunSummary& run = source.runs[i].summary;
    for (const NameSum& name : run.names) {
      std::vector<std::string> key;
      key.reserve(2 + dimensions.size());
      key.emplace_back(name.name);
      key.emplace_back(to_string(name.kind));
      for (const std::string& dimension : dimensions) {
        const NameSum::LabelResult* label = name.label(run.dimension(dimension));
        key.push_back(label != nullptr ? label->label : std::string());
      }
      const auto [at, added] = places.try_emplace(std::move(key), all.size());
      if (added) all.push_back({.name = &name, .run = i});
      NameOfRanks& one = all[at->second];
      one.instances += name.instances;
      one.busy_ns += name.busy_ns;
      one.total_ns += name.total_ns;
      if (name.busy_ns > one.max_ns) {
        one.max_ns = name.busy_ns;
        one.most = i;
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const NameOfRanks& a, const NameOfRanks& b) {
    return a.busy_ns > b.busy_ns;
  });
  return all;
}

struct KernelBalanceRow : Parts<NameOfRanks, NameSum> {
  const RunSummary& run;
  const std::vector<std::string>& dimensions;
  int64_t all_busy_ns;
  double mean_ns;
  int64_t max_rank;
};

void add_balance_labels(const KernelBalanceRow& row, Cells& cells) {
  for (const std::string& dimension : row.dimensions) {
    add_label(row, row.run.dimension(dimension), cells);
  }
}

void add_kernel_balance(const Source& source, Rows<KernelBalanceRow>& rows) {
  const std::vector<std::string> dimensions = name_dimensions_of(source);
  int64_t all_busy_ns = 0;
  for (const Run& run : source.runs) all_busy_ns += run.summary.gpu_busy_ns;
  const auto ranks = static_cast<double>(source.runs.size());
  for (const NameOfRanks& one : names_of_ranks(source, dimensions)) {
    rows.add({{one, *one.name},
              source.runs[one.run].summary,
              dimensions,
              all_busy_ns,
              static_cast<double>(one.busy_ns) / ranks,
              source.rank(one.most)});
  }
}

}  // namespace

Definition kernel_balance_part() {
  return TableOf<KernelBalanceRow>{
      {"kernel_balance",
       "kernel summary of all ranks",
       "One row per distinct name and type of operation with the same labels: its time on all "
       "ranks, "
       "and how evenly it is spread over them.",
       {{head::name, &NameSum::name},
        {head::type, &NameSum::kind},
        {std::string(table::dimension_columns), Unit::text, Role::key,
         "One column per dimension of the models, named after it: the label.",
         Value<KernelBalanceRow>::several(add_balance_labels), optional},
        {"instances", Unit::count, Role::measure, "Operations of that name on all ranks.",
         &NameOfRanks::instances},
        {"busy_ns", Unit::ns, Role::measure,
         "Their part of the busy time of their devices, as in `kernels`: the sum over all ranks.",
         &NameOfRanks::busy_ns},
        {"share", Unit::ratio, Role::measure,
         "`busy_ns` as a part of the busy time of all devices of all ranks.",
         [](const KernelBalanceRow& row) {
           return ratio_of(row.of<NameOfRanks>().busy_ns, row.all_busy_ns);
         },
         read_with("busy_ns")},
        {head::total_ns, &NameOfRanks::total_ns},
        {head::mean_of_ranks_ns, &KernelBalanceRow::mean_ns},
        {head::max_of_ranks_ns, &NameOfRanks::max_ns},
        {head::max_over_mean,
         [](const KernelBalanceRow& row) {
           return row.mean_ns > 0 ? static_cast<double>(row.of<NameOfRanks>().max_ns) / row.mean_ns
                                  : 0.0;
         }},
        {head::max_rank, &KernelBalanceRow::max_rank}}},
      needs<analyze::RunSummary>,
      add_kernel_balance,
      not_several_ranks};
}

const Definition kernels_table = TableOf<KernelRow>{
    {"kernels",
     "kernel summary",
     "One row per run, distinct name and type of operation with the same labels.",
     {run_column,
      {head::name, &NameSum::name},
      {head::type, &NameSum::kind},
      {std::string(table::dimension_columns), Unit::text, Role::key,
       "One column per dimension of the models, named after it: the label.",
       Value<KernelRow>::several(add_labels_of), optional},
      {"instances", Unit::count, Role::measure, "Operations of that name.", &NameSum::instances},
      {head::elapsed_ns, &NameSum::elapsed_ns},
      {head::total_detail_ns, &NameSum::total_ns},
      {"min_ns", Unit::ns, Role::detail, "The shortest duration.", &NameSum::min_ns},
      {"max_ns", Unit::ns, Role::detail, "The longest duration.", &NameSum::max_ns},
      {"mean_ns", Unit::ns, Role::detail, "The mean duration.", &NameSum::mean_ns},
      {"stddev_ns", Unit::ns, Role::detail,
       "The standard deviation of the sample of durations; 0 for one.", &NameSum::stddev_ns},
      {"rule", Unit::text, Role::detail,
       "The rule that gives the substage (else the kind): `file:line`.", rule_of, optional},
      {head::busy_share,
       [](const KernelRow& row) {
         return ratio_of(row.of<NameSum>().busy_ns, row.of<RunSummary>().gpu_busy_ns);
       }},
      {"busy_ns", Unit::ns, Role::measure,
       "Their part of the busy time of their devices: what no earlier operation on the same device "
       "covers; with one device `elapsed_ns`.",
       &NameSum::busy_ns}}},
    needs<analyze::RunSummary>,
    add_kernels};

}  // namespace kr::tables
