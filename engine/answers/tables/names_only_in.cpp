// Names that some runs have and others lack.
#include "analyze/names_only_in.hpp"

#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

std::string without_other_runs(const Source& source) {
  return source.runs.size() > 1 ? std::string() : "there is one run only";
}

void add_names_only_in(const Source& source, RowSink& sink) {
  for (const analyze::NameOnlyIn& one : analyze::names_only_in(source.summaries())) {
    sink.row({source.runs[one.run].summary.id, one.name, one.instances, one.total_ns});
  }
}

}  // namespace

const Definition names_only_in_table{
    {"names_only_in",
     "kernels that not all runs have",
     "One row per run and name in it that at least one other run does not have.",
     {{"run", Unit::text, Role::key, "The run that has the name."},
      {"name", Unit::name, Role::key, "The name of the kernel, copy or set."},
      {"instances", Unit::count, Role::measure, "Operations of that name in the run."},
      {"total_ns", Unit::ns, Role::measure, "The sum of their durations."}}},
    needs<analyze::RunSummary>,
    add_names_only_in,
    without_other_runs};

}  // namespace kr::tables
