// Names that some runs have and others lack.
#include "analyze/names_only_in.hpp"

#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::NameOnlyIn;

std::string without_other_runs(const Source& source) {
  return source.runs.size() > 1 ? std::string() : "there is one run only";
}

using NameOnlyInRow = Parts<Run, NameOnlyIn>;
void add_names_only_in(const Source& source, Rows<NameOnlyInRow>& rows) {
  for (const NameOnlyIn& one : analyze::names_only_in(source.summaries())) {
    rows.add({source.runs[one.run], one});
  }
}

}  // namespace

const Definition names_only_in_table = TableOf<NameOnlyInRow>{
    {"names_only_in",
     "kernels that not all runs have",
     "One row per run and name in it that at least one other run does not have.",
     {{"run", Unit::text, Role::key, "The run that has the name.", RunId()},
      {head::name, &NameOnlyIn::name},
      {"instances", Unit::count, Role::measure, "Operations of that name in the run.",
       &NameOnlyIn::instances},
      {head::total_ns, &NameOnlyIn::total_ns}}},
    needs<analyze::RunSummary>,
    add_names_only_in,
    without_other_runs};

}  // namespace kr::tables
