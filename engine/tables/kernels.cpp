// Time by distinct name.
#include "tables/definition.hpp"

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
                             ratio_of(name.elapsed_ns, run.gpu_elapsed_ns)});
      sink.row(row);
    }
  }
}

}  // namespace

const Definition kernels_table{
    {"kernels",
     "names",
     "One row per run, distinct name and type of operation with the same labels.",
     {{"run", Unit::text, Role::key, "The run."},
      {"name", Unit::name, Role::key, "The name of the kernel, copy or set."},
      {"type", Unit::text, Role::key, "`kernel`, `memcpy` or `memset`."},
      {std::string(table::dimension_columns), Unit::text, Role::key,
       "One column per dimension of the models, named after it: the label.", true},
      {"instances", Unit::count, Role::measure, "Operations of that name."},
      {"elapsed_ns", Unit::ns, Role::measure,
       "Their part of the time in which a GPU was busy: what no earlier operation covers."},
      {"total_ns", Unit::ns, Role::measure, "The sum of their durations."},
      {"min_ns", Unit::ns, Role::detail, "The shortest duration."},
      {"max_ns", Unit::ns, Role::detail, "The longest duration."},
      {"mean_ns", Unit::ns, Role::detail, "The mean duration."},
      {"stddev_ns", Unit::ns, Role::detail,
       "The standard deviation of the sample of durations; 0 for one."},
      {"rule", Unit::text, Role::detail,
       "The rule that gives the substage (else the kind): `file:line`.", true},
      {"share", Unit::ratio, Role::measure, "`elapsed_ns` as a part of that of the run."}}},
    Needs::runs,
    add_kernels};

}  // namespace kr::tables
