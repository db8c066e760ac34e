// Time by distinct name, of each run and of all ranks.
#include <algorithm>
#include <map>

#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

void add_kernels(const Source& source, RowSink& sink) {
  const std::vector<std::string> dimensions = dimensions_of(source);
  Cells row;
  for (const Run& one : source.runs) {
    const analyze::RunSummary& run = one.summary;
    std::vector<std::optional<size_t>> at;
    at.reserve(dimensions.size());
    for (const std::string& dimension : dimensions) at.push_back(run.dimension(dimension));
    const auto ruled =
        run.dimension("substage") ? run.dimension("substage") : run.dimension("kind");
    for (const analyze::NameSum& name : run.names) {
      row.assign({run.id, name.name, to_string(name.kind)});
      for (const auto& dimension : at) {
        const analyze::NameSum::LabelResult* label = name.label(dimension);
        row.push_back(label != nullptr ? Cell(label->label) : Cell());
      }
      const analyze::NameSum::LabelResult* by = name.label(ruled);
      row.insert(row.end(), {name.instances, name.elapsed_ns, name.total_ns, name.min_ns,
                             name.max_ns, name.mean_ns, name.stddev_ns,
                             by != nullptr ? table::cell_or_nothing(by->rule) : Cell(),
                             ratio_of(name.busy_ns, run.gpu_busy_ns), name.busy_ns});
      sink.row(row);
    }
  }
}

/// A name with its labels, over the runs.
struct NameOfRanks {
  const analyze::NameSum* name = nullptr;
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
    const analyze::RunSummary& run = source.runs[i].summary;
    for (const analyze::NameSum& name : run.names) {
      std::vector<std::string> key;
      key.reserve(2 + dimensions.size());
      key.emplace_back(name.name);
      key.emplace_back(to_string(name.kind));
      for (const std::string& dimension : dimensions) {
        const analyze::NameSum::LabelResult* label = name.label(run.dimension(dimension));
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

void add_kernel_balance(const Source& source, RowSink& sink) {
  const std::vector<std::string> dimensions = dimensions_of(source);
  int64_t all_busy_ns = 0;
  for (const Run& run : source.runs) all_busy_ns += run.summary.gpu_busy_ns;
  const auto ranks = static_cast<double>(source.runs.size());
  Cells row;
  for (const NameOfRanks& one : names_of_ranks(source, dimensions)) {
    const analyze::RunSummary& run = source.runs[one.run].summary;
    const double mean_ns = static_cast<double>(one.busy_ns) / ranks;
    row.assign({one.name->name, to_string(one.name->kind)});
    for (const std::string& dimension : dimensions) {
      const analyze::NameSum::LabelResult* label = one.name->label(run.dimension(dimension));
      row.push_back(label != nullptr ? Cell(label->label) : Cell());
    }
    row.insert(row.end(),
               {one.instances, one.busy_ns, ratio_of(one.busy_ns, all_busy_ns), one.total_ns,
                mean_ns, one.max_ns, mean_ns > 0 ? static_cast<double>(one.max_ns) / mean_ns : 0.0,
                source.rank(one.most)});
    sink.row(row);
  }
}

}  // namespace

const Definition kernel_balance_table{
    {"kernel_balance",
     "kernel summary of all ranks",
     "One row per distinct name and type of operation with the same labels: its time on all ranks, "
     "and how evenly it is spread over them.",
     {{"name", Unit::name, Role::key, "The name of the kernel, copy or set."},
      {"type", Unit::text, Role::key, "`kernel`, `memcpy` or `memset`."},
      {std::string(table::dimension_columns), Unit::text, Role::key,
       "One column per dimension of the models, named after it: the label.", true},
      {"instances", Unit::count, Role::measure, "Operations of that name on all ranks."},
      {"busy_ns", Unit::ns, Role::measure,
       "Their part of the busy time of their devices, as in `kernels`: the sum over all ranks."},
      {"share", Unit::ratio, Role::measure,
       "`busy_ns` as a part of the busy time of all devices of all ranks.", false, false,
       "busy_ns"},
      {"total_ns", Unit::ns, Role::measure, "The sum of their durations."},
      {"mean_ns", Unit::ns, Role::measure, "The mean of `busy_ns` over all ranks."},
      {"max_ns", Unit::ns, Role::measure, "The largest of any rank."},
      {"max_over_mean", Unit::factor, Role::measure, "`max_ns` divided by `mean_ns`."},
      {"max_rank", Unit::id, Role::measure, "The rank with `max_ns`; the first of several."}}},
    needs<analyze::RunSummary>,
    add_kernel_balance,
    not_several_ranks};

const Definition kernels_table{
    {"kernels",
     "kernel summary",
     "One row per run, distinct name and type of operation with the same labels.",
     {{"run", Unit::text, Role::key, "The run."},
      {"name", Unit::name, Role::key, "The name of the kernel, copy or set."},
      {"type", Unit::text, Role::key, "`kernel`, `memcpy` or `memset`."},
      {std::string(table::dimension_columns), Unit::text, Role::key,
       "One column per dimension of the models, named after it: the label.", true},
      {"instances", Unit::count, Role::measure, "Operations of that name."},
      {"elapsed_ns", Unit::ns, Role::detail,
       "Their part of the time in which any GPU was busy: what no earlier operation on any device "
       "covers."},
      {"total_ns", Unit::ns, Role::detail, "The sum of their durations."},
      {"min_ns", Unit::ns, Role::detail, "The shortest duration."},
      {"max_ns", Unit::ns, Role::detail, "The longest duration."},
      {"mean_ns", Unit::ns, Role::detail, "The mean duration."},
      {"stddev_ns", Unit::ns, Role::detail,
       "The standard deviation of the sample of durations; 0 for one."},
      {"rule", Unit::text, Role::detail,
       "The rule that gives the substage (else the kind): `file:line`.", true},
      {"share", Unit::ratio, Role::measure,
       "`busy_ns` as a part of the busy time of all devices of the run.", false, false, "busy_ns"},
      {"busy_ns", Unit::ns, Role::measure,
       "Their part of the busy time of their devices: what no earlier operation on the same device "
       "covers; with one device `elapsed_ns`."}}},
    needs<analyze::RunSummary>,
    add_kernels};

}  // namespace kr::tables
