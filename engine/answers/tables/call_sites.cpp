// Time by the place in the program's own source that launched it.
#include "trace/call_sites.hpp"

#include <algorithm>
#include <map>

#include "analyze/run.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

struct SiteSum {
  int64_t operations = 0;
  int64_t total_ns = 0;
};

struct CallSiteRow : Parts<Run, trace::CallSite, trace::OperationName, SiteSum> {
  std::string site;
  const classify::Labelled& labelled;
  uint32_t row;  // of labels
  const std::vector<std::optional<sema::DimensionId>>& dimensions;
};

void add_labels(const CallSiteRow& row, Cells& cells) {
  for (const auto& dimension : row.dimensions) {
    const classify::DimensionLabels* labels = dimension ? row.labelled.find(*dimension) : nullptr;
    cells.push_back(labels != nullptr ? Cell(labels->by_row[row.row].label) : Cell());
  }
}

void add_call_sites(const Source& source, Rows<CallSiteRow>& rows) {
  std::vector<std::optional<sema::DimensionId>> dimensions;
  for (const std::string& name : dimensions_of(source)) {
    dimensions.push_back(source.rules->program().dimension(name));
  }
  for (const Run& run : source.runs) {
    const analyze::LabelledTrace& labelled = run.get<analyze::LabelledTrace>();
    const trace::Trace& trace = labelled.trace;
    const std::vector<uint32_t> sites = trace::find_call_sites(trace);
    if (sites.empty()) continue;
    using Key = std::pair<uint32_t, uint32_t>;  // site, row of labels
    std::map<Key, SiteSum> sums;
    for (size_t i = 0; i < sites.size(); ++i) {
      const trace::Operation& one = trace.operations[i];
      SiteSum& sum = sums[{sites[i], labelled.labelled.row(i, one)}];
      ++sum.operations;
      sum.total_ns += one.duration_ns;
    }
    std::vector<std::pair<Key, SiteSum>> order(sums.begin(), sums.end());
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return a.second.total_ns > b.second.total_ns;
    });
    for (const auto& [key, sum] : order) {
      trace::CallSite site{};
      std::string text;
      if (key.first != trace::HostRange::none) {
        site = trace::call_site_from(trace.host->frames->ops[key.first].name);
        text = std::string(site.file).append(1, ':').append(site.line);
      }
      const trace::OperationName& name = trace.names.get(labelled.labelled.names[key.second]);
      rows.add({{run, site, name, sum}, text, labelled.labelled, key.second, dimensions});
    }
  }
}

std::string without_call_sites(const Source& source) {
  for (const Run& run : source.runs) {
    const auto* labelled = run.find<analyze::LabelledTrace>();
    if (labelled != nullptr && labelled->trace.host && labelled->trace.host->frames) return {};
  }
  return "no trace has frames of Python outside of PyTorch: its profiler records them with "
         "`with_stack=True`";
}

}  // namespace

const Definition call_sites_table = TableOf<CallSiteRow>{
    {"call_sites",
     "time by call site",
     "One row per run, call site, and name of operations with the same labels: time by the "
     "innermost function of the program's own Python around the launch. Functions of PyTorch, "
     "Triton and Python's library do not count. Without a call site: all other operations, such as "
     "those of PyTorch's backward thread. The rows of a run add up to the time of all operations.",
     {run_column,
      {"call_site", Unit::text, Role::key,
       "`FILE:LINE` of the function: its first line, since PyTorch records no other.",
       [](const CallSiteRow& row) { return table::cell_or_nothing(row.site); }, optional},
      {"function", Unit::text, Role::key, "The function.",
       [](const trace::CallSite& site) { return table::cell_or_nothing(site.function); }, optional},
      {head::name, &trace::OperationName::text},
      {head::type, &trace::OperationName::kind},
      {std::string(table::dimension_columns), Unit::text, Role::key,
       "One column per dimension of the models, named after it: the label.",
       Value<CallSiteRow>::several(add_labels), optional},
      {"operations", Unit::count, Role::measure, "Operations launched there.",
       &SiteSum::operations},
      {head::total_ns, &SiteSum::total_ns},
      {"share", Unit::ratio, Role::measure, "`total_ns` as a part of the time of all operations.",
       [](const CallSiteRow& row) {
         return ratio_of(row.of<SiteSum>().total_ns, row.of<Run>().summary.gpu_total_ns);
       },
       read_with("total_ns")}}},
    needs<analyze::LabelledTrace>,
    add_call_sites,
    without_call_sites,
    facts::Reads::host | facts::Reads::call_sites};

}  // namespace kr::tables
