#include "tables/operations.hpp"

#include <algorithm>
#include <map>

#include "analyze/run.hpp"
#include "analyze/sweep.hpp"
#include "tables/source.hpp"
#include "trace/call_sites.hpp"

namespace kr::tables {

namespace {

constexpr uint32_t no_place = classify::Attribution::none;

/// Where the columns are: those of dimensions come after the first three.
constexpr size_t dimensions_at = 3;

enum Place : size_t {  // of the other columns, after those of dimensions
  device_at,
  stream_at,
  start_at,
  duration_at,
  elapsed_at,
  module_at,
  annotation_at,
  op_at,
  evidence_at,
  step_id_at,
  phase_at,
  step_at,
  layer_at,
  call_at,
  site_at,
  places_count,
};

void add_operations(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    OperationRows rows(source, run);
    analyze::UnionSweep sweep;
    Cells row(rows.columns());
    for (size_t i = 0; i < rows.size(); ++i) {
      rows.fill(i, row);
      const trace::Operation& operation = run.get<analyze::LabelledTrace>().trace.operations[i];
      row[rows.elapsed_column()] = sweep.add(operation.start_ns, operation.end_ns());
      sink.row(row);
    }
  }
}

table::Info operations_info() {
  table::Info info{
      "operations",
      "operations",
      "One row per operation, in order of start: the longer first among equals, then by name.",
      {{"run", Unit::text, Role::key, "The run."},
       {"name", Unit::name, Role::key, "The name of the kernel, copy or set."},
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
        "The modules that enclose its launch, or the creation of its node of a CUDA graph: "
        "nn.Modules, or NVTX ranges that name one; outermost first, with `/` between.",
        true},
       {"annotation", Unit::text, Role::detail,
        "What the trace says of the operation itself beside its module, as PyTorch's annotations "
        "of "
        "CUDA graphs do, with ` · ` between: `autograd_phase=backward`.",
        true},
       {"op", Unit::text, Role::detail,
        "The framework's ops that enclose its launch in a reference (`--reference`), outermost "
        "first, with ` > ` between. Only of `instance` and `kind`.",
        true},
       {"evidence", Unit::text, Role::detail,
        "How its place is known, as in `attribution`: `launch`, `creation`, `annotation`, `range`, "
        "`layer`; by a reference `instance`, `kind`, `within` or `abstain`.",
        true},
       {"step_id", Unit::id, Role::detail, "The step that launched it, as in `steps`.", true},
       {"phase", Unit::text, Role::measure, "The phase of that step.", true},
       {"step", Unit::id, Role::measure, "The number of that step, if it has one.", true},
       {"layer", Unit::id, Role::detail, "The layer in a repeated block, from 0.", true},
       {"call_id", Unit::id, Role::detail, "The host call that launched it, as in `host_calls`.",
        true},
       {"call_site", Unit::text, Role::detail,
        "Where in the program's own Python it was launched, as in `call_sites`: `FILE:LINE`.",
        true}}};
  info.in_short_form = false;
  info.many_rows = true;
  return info;
}

}  // namespace

OperationRows::OperationRows(const Source& source, const Run& run)
    : rules_(source.rules),
      labelled_(run.find<analyze::LabelledTrace>()),
      dimensions_(dimensions_of(source)) {
  const sema::Program& program = source.rules->program();
  const classify::Labelled& labelled = labelled_->labelled;
  named_.resize(labelled.rows());
  for (uint32_t i = 0; i < named_.size(); ++i) {
    const trace::OperationName& name = labelled_->trace.names.get(labelled.names[i]);
    named_[i] = {run.summary.id, name.text, to_string(name.kind)};
    for (const std::string& dimension : dimensions_) {
      const auto id = program.dimension(dimension);
      const classify::DimensionLabels* labels = id ? labelled.find(*id) : nullptr;
      named_[i].push_back(labels != nullptr ? Cell(labels->by_row[i].label) : Cell());
    }
  }
}

size_t OperationRows::size() const noexcept {
  return labelled_->trace.operations.size();
}
size_t OperationRows::columns() const noexcept {
  return elapsed_column() - elapsed_at + places_count;
}
size_t OperationRows::elapsed_column() const noexcept {
  return dimensions_at + dimensions_.size() + elapsed_at;
}

const Cells& OperationRows::named(size_t row) const {
  return named_[labelled_->labelled.row(row, labelled_->trace.operations[row])];
}

std::string_view OperationRows::module_path(size_t row) {
  const trace::HostTrace& host = *labelled_->trace.host;
  const auto at = labelled_->attribution(*rules_).module_time(host, row);
  if (at == path_of_) return path_;
  path_of_ = at;
  path_.clear();
  uint32_t outer = trace::HostRange::none;
  for (const uint32_t range : host.modules_at(at.first, at.second)) {
    if (!path_.empty()) path_ += '/';
    path_ += host.module_name(range, outer);
    outer = range;
  }
  return path_;
}

std::string_view OperationRows::annotation(size_t row) {
  const trace::HostTrace& host = *labelled_->trace.host;
  const trace::NodeCreation* const creation = host.creation(row);
  if (creation == nullptr || !host.threads[creation->thread].other_clock) return {};
  annotation_.clear();
  for (const uint32_t range :
       host.ranges_at(creation->thread, creation->time_ns, trace::HostRange::Kind::annotation)) {
    if (!annotation_.empty()) annotation_ += " · ";
    annotation_ += host.range_names[host.ranges[range].name];
  }
  return annotation_;
}

std::string_view OperationRows::call_site(size_t row) {
  if (!sites_) sites_ = trace::find_call_sites(labelled_->trace);
  if (sites_->empty() || (*sites_)[row] == trace::HostRange::none) return {};
  const auto site = trace::call_site_from(labelled_->trace.host->frames->ops[(*sites_)[row]].name);
  site_.assign(site.file).append(1, ':').append(site.line);
  return site_;
}

Cell OperationRows::placed(size_t row, size_t place) {
  const trace::Trace& trace = labelled_->trace;
  const trace::Operation& operation = trace.operations[row];
  switch (place) {
    case device_at:
      return int64_t{trace.track(operation.track).device};
    case stream_at:
      return trace.track(operation.track).stream;
    case start_at:
      return operation.start_ns;
    case duration_at:
      return operation.duration_ns;
    default:
      return attributed(row, place);
  }
}

Cell OperationRows::attributed(size_t row, size_t place) {
  const classify::Attribution& places = labelled_->attribution(*rules_);
  const trace::HostTrace* host = labelled_->trace.host.get();
  const uint32_t step = places.step_of[row];
  const uint32_t layer = places.layer_of[row];
  const bool in_module = places.module_of[row] != no_place;
  const uint32_t launch = host != nullptr ? host->launch_of[row] : trace::HostRange::none;
  switch (place) {
    case module_at:
      return in_module ? table::cell_or_nothing(module_path(row)) : Cell();
    case annotation_at:
      return host != nullptr ? table::cell_or_nothing(annotation(row)) : Cell();
    case op_at: {
      const trace::AlignedNode* const node = host != nullptr ? host->alignment(row) : nullptr;
      return node != nullptr ? table::cell_or_nothing(node->ops) : Cell();
    }
    case evidence_at:
      return table::cell_or_nothing(to_string(classify::evidence_of(places, row)));
    case step_id_at:
      return step != no_place ? Cell(int64_t{step}) : Cell();
    case phase_at:
      return step != no_place ? Cell(places.steps[step].phase.label) : Cell();
    case step_at:
      return step != no_place ? table::cell(places.steps[step].phase.step) : Cell();
    case layer_at:
      return layer != no_place ? Cell(static_cast<int64_t>(places.in_unit(layer))) : Cell();
    case site_at:
      return table::cell_or_nothing(call_site(row));
    case call_at:
      return launch != trace::HostRange::none ? Cell(int64_t{launch}) : Cell();
    default:
      return {};
  }
}

void OperationRows::fill(size_t row, Cells& cells) {
  const Cells& known = named(row);
  std::copy(known.begin(), known.end(), cells.begin());
  Cell* const rest = cells.data() + known.size();
  for (size_t place = 0; place < places_count; ++place) {
    if (place != elapsed_at) rest[place] = placed(row, place);
  }
}

Cell OperationRows::cell(size_t row, size_t column) {
  const Cells& known = named(row);
  if (column < known.size()) return known[column];
  if (column == elapsed_column()) {
    if (elapsed_.empty()) find_elapsed();
    return elapsed_[row];
  }
  return placed(row, column - known.size());
}

void OperationRows::find_elapsed() {
  elapsed_.reserve(size());
  analyze::UnionSweep sweep;
  for (const trace::Operation& operation : labelled_->trace.operations) {
    elapsed_.push_back(sweep.add(operation.start_ns, operation.end_ns()));
  }
}

bool OperationRows::can_order(size_t column) const noexcept {
  return column < dimensions_at + dimensions_.size();
}

std::vector<uint32_t> OperationRows::ordered(size_t column, bool descending) const {
  // A column is empty in all rows or in none.
  const auto text_of = [&](const Cells& cells) {
    const auto* text = std::get_if<std::string_view>(&cells[column]);
    return text != nullptr ? *text : std::string_view();
  };
  std::map<std::string_view, uint32_t> groups;  // in the order of bytes
  for (const Cells& cells : named_) groups.try_emplace(text_of(cells), 0);
  uint32_t place = 0;
  for (auto& [text, group] : groups) {
    group = descending ? static_cast<uint32_t>(groups.size()) - 1 - place : place;
    ++place;
  }
  std::vector<uint32_t> group_of;  // by row of labels
  group_of.reserve(named_.size());
  for (const Cells& cells : named_) group_of.push_back(groups.at(text_of(cells)));
  // A counting sort.
  const classify::Labelled& labelled = labelled_->labelled;
  const auto& operations = labelled_->trace.operations;
  std::vector<uint32_t> next(groups.size() + 1);
  for (size_t i = 0; i < size(); ++i) ++next[group_of[labelled.row(i, operations[i])] + 1];
  for (size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<uint32_t> order(size());
  for (size_t i = 0; i < size(); ++i) {
    order[next[group_of[labelled.row(i, operations[i])]]++] = static_cast<uint32_t>(i);
  }
  return order;
}

const Definition operations_table{operations_info(), needs<analyze::LabelledTrace>, add_operations,
                                  nullptr, facts::Reads::host | facts::Reads::call_sites};

}  // namespace kr::tables
