// Every operation.
#include "analyze/sweep.hpp"
#include "tables/definition.hpp"

namespace kr::tables {
namespace {

constexpr uint32_t no_place = Attribution::none;

/// Modules at a launch, outermost first: `model/layers.0/mlp`. Operations mostly have the launch of
/// the one before, or its modules.
class ModulePaths {
 public:
  explicit ModulePaths(const HostSide* host) : host_(host) {}

  std::string_view of(uint32_t launch) {
    if (launch == last_) return path_;
    last_ = launch;
    path_.clear();
    for (const uint32_t range : host_->modules_of(host_->launches[launch])) {
      if (!path_.empty()) path_ += '/';
      path_ += host_->range_names[host_->ranges[range].name];
    }
    return path_;
  }

 private:
  const HostSide* host_;
  uint32_t last_ = HostRange::none;
  std::string path_;
};

/// Cells that depend on the row of labels alone: name, type, labels.
std::vector<Cells> named_cells(const Source& source, const LabelledTrace& run,
                               const std::vector<std::string>& dimensions) {
  const Program& program = source.rules->program();
  std::vector<Cells> rows(run.labelled.rows());
  for (uint32_t i = 0; i < rows.size(); ++i) {
    const OperationName& name = run.trace.names.get(run.labelled.names[i]);
    rows[i] = {name.text, to_string(name.kind)};
    for (const std::string& dimension : dimensions) {
      const auto id = program.dimension(dimension);
      const DimensionLabels* labels = id ? run.labelled.find(*id) : nullptr;
      rows[i].push_back(labels != nullptr ? Cell(labels->by_row[i].label) : Cell());
    }
  }
  return rows;
}

void add_run_operations(const Source& source, const Run& one, RowSink& sink) {
  const LabelledTrace& run = *one.trace;
  const Trace& trace = run.trace;
  const std::vector<Cells> named = named_cells(source, run, dimensions_of(source));
  const Attribution& places = run.attribution(*source.rules);
  ModulePaths paths(trace.host.get());
  UnionSweep sweep;
  const size_t fixed = 1 + (named.empty() ? 0 : named[0].size());
  constexpr size_t measured = 12;
  Cells row(fixed + measured);
  row[0] = one.summary.id;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const Operation& operation = trace.operations[i];
    const Cells& known = named[run.labelled.row(i, operation)];
    std::copy(known.begin(), known.end(), row.begin() + 1);
    const Track& track = trace.track(operation.track);
    Cell* cell = row.data() + fixed;
    *cell++ = int64_t{track.device};
    *cell++ = track.stream;
    *cell++ = operation.start_ns;
    *cell++ = operation.duration_ns;
    *cell++ = sweep.add(operation.start_ns, operation.end_ns());
    const bool in_module = places.module_of[i] != no_place;
    const uint32_t layer = places.layer_of[i];
    *cell++ = in_module ? table::cell_or_nothing(paths.of(trace.host->launch_of[i])) : Cell();
    *cell++ = in_module ? Cell("launch") : layer != no_place ? Cell("layer") : Cell();
    const uint32_t step = places.step_of[i];
    const TraceStep* in_step = step != no_place ? &places.steps[step] : nullptr;
    *cell++ = in_step != nullptr ? Cell(int64_t{step}) : Cell();
    *cell++ = in_step != nullptr ? Cell(in_step->phase.label) : Cell();
    *cell++ = in_step != nullptr ? table::cell(in_step->phase.step) : Cell();
    *cell++ = layer != no_place ? Cell(static_cast<int64_t>(places.in_unit(layer))) : Cell();
    const uint32_t launch = trace.host ? trace.host->launch_of[i] : HostRange::none;
    *cell++ = launch != HostRange::none ? Cell(trace.host->launches[launch].start_ns) : Cell();
    sink.row(row);
  }
}

void add_operations(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) add_run_operations(source, run, sink);
}

table::Info operations_info() {
  table::Info info{
      "operations",
      "operations",
      "One row per operation, in order of start: the longer first among equals, then by name.",
      {{"run", Unit::text, Role::key, "The run."},
       {"name", Unit::text, Role::key, "The name of the kernel, copy or set."},
       {"type", Unit::text, Role::key, "`kernel`, `memcpy` or `memset`."},
       {std::string(table::dimension_columns), Unit::text, Role::measure,
        "One column per dimension of the models, named after it: the label.", true},
       {"device", Unit::id, Role::key, "The number of the device."},
       {"stream", Unit::id, Role::key, "The number of the stream."},
       {"start_ns", Unit::ns, Role::key, "Its start, on the clock of the trace."},
       {"duration_ns", Unit::ns, Role::measure, "Its duration."},
       {"elapsed_ns", Unit::ns, Role::measure,
        "The part of it that no earlier operation of any device covers."},
       {"module", Unit::text, Role::detail,
        "The nn.Modules that enclose its launch, outermost first, with `/` between.", true},
       {"evidence", Unit::text, Role::detail,
        "How its place is known: `launch` encloses it in a module, `layer` is a repeated block.",
        true},
       {"step_id", Unit::id, Role::detail, "The step that launched it, as in `steps`.", true},
       {"phase", Unit::text, Role::measure, "The phase of that step.", true},
       {"step", Unit::id, Role::measure, "The number of that step, if it has one.", true},
       {"layer", Unit::id, Role::detail, "The layer in a repeated block, from 0.", true},
       {"launch_ns", Unit::ns, Role::detail, "The start of the host call that launched it.",
        true}}};
  info.in_short_form = false;
  info.many_rows = true;
  return info;
}

}  // namespace

extern const Definition operations_table;
const Definition operations_table{operations_info(), Needs::operations, add_operations};

}  // namespace kr::tables
