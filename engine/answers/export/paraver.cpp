#include "export/paraver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "export/paraver_in_flight.hpp"
#include "export/paraver_labels.hpp"
#include "export/paraver_rows.hpp"
#include "export/paraver_sorter.hpp"
#include "export/paraver_text.hpp"
#include "scopes/scope.hpp"
#include "trace/launched.hpp"

namespace kr::exports {
namespace {

using Section = ParaverRows::Section;
using Kind = ParaverRecord::Kind;
using Order = ParaverRecord::Order;

/// Times are doubles in Paraver.
constexpr int64_t longest_ns = int64_t{1} << 53;

/// `[CUDA memcpy HtoD]` without its brackets, as nsys2prv has it.
std::string_view without_brackets(std::string_view name) {
  const bool brackets = name.size() > 2 && name.front() == '[' && name.back() == ']';
  return brackets ? name.substr(1, name.size() - 2) : name;
}

/// What all operations of one row of labels have in common.
struct NamedOperation {
  Kind kind = Kind::kernel;
  uint32_t value = 0;
  uint32_t labels = 0;
};

}  // namespace

/// A run, and when it was, on its own clock.
struct ParaverTask {
  std::string source;
  std::optional<int64_t> utc_ns;
  int64_t begin_ns = std::numeric_limits<int64_t>::max();
  int64_t end_ns = std::numeric_limits<int64_t>::min();

  bool empty() const noexcept { return begin_ns > end_ns; }
};

struct ParaverParts {
  const match::CompiledRules& rules;
  std::string shown;
  ParaverSorter records;
  ParaverLabels labels = {};
  ParaverRows rows = {};
  std::vector<ParaverTask> tasks = {};

  bool has_clocks() const;
  /// What is added to the times of each task.
  std::vector<int64_t> offsets(const std::map<std::string, int64_t>& shifts_ns) const;
};

namespace {

/// The values of the keys of a scope.
class ScopeValues {
 public:
  explicit ScopeValues(scopes::Scope scope)
      : scope_(std::move(scope)), values_(scope_.size(), unknown) {}

  /// 0: the operation is outside.
  uint32_t of(size_t operation, ParaverValues& labels) {
    const std::span<const uint32_t> keys = scope_.keys(operation);
    if (keys.empty()) return 0;
    uint32_t& value = values_[keys[0]];
    if (value == unknown) {
      const std::string_view text = scope_.text(keys[0]);
      value = text == scopes::outside_steps_name ? 0 : labels.add(text);
    }
    return value;
  }

 private:
  static constexpr uint32_t unknown = UINT32_MAX;

  scopes::Scope scope_;
  std::vector<uint32_t> values_;  // by key, once an operation has it
};

/// Where operations belong.
struct Places {
  Places(const trace::Trace& trace, const classify::Attribution& attribution)
      : phase(scopes::by_phase(trace, attribution)),
        module(scopes::by_module(trace, attribution)),
        layer(scopes::by_layer_number(trace, attribution)) {}

  ScopeValues phase, module;
  scopes::Scope layer;
};

/// The records of one run.
class ParaverRun {
 public:
  ParaverRun(ParaverParts& parts, const analyze::LabelledTrace& run)
      : parts_(parts), run_(run), trace_(run.trace) {}

  void add() {
    name_operations();
    if (trace_.host) host();
    operations();
    if (trace_.host) launches();
    if (trace_.gpu_metrics) metrics();
  }

 private:
  void name_operations() {
    const classify::Labelled& labelled = run_.labelled;
    const analyze::TraceLabels labels(parts_.rules, labelled);
    named_.reserve(labelled.rows());
    std::vector<ParaverLabels::DimensionLabel> of;
    for (uint32_t row = 0; row < labelled.rows(); ++row) {
      const trace::OperationName& name = trace_.names.get(labelled.names[row]);
      NamedOperation& operation = named_.emplace_back();
      if (name.kind != OperationKind::kernel) {
        operation.kind = Kind::copy;
        operation.value = parts_.labels.copies.add(without_brackets(name.text));
      } else if (name.text.find("nccl") != name.text.npos) {
        operation.kind = Kind::collective;
        operation.value = parts_.labels.collectives.add(name.text);
      } else {
        operation.value = parts_.labels.kernels.add(name.text);
      }
      of.clear();
      for (const auto& [dimension, given] : labels.dimensions()) {
        of.emplace_back(dimension, given->by_row[row].label);
      }
      operation.labels = parts_.labels.add_labels(of);
    }
  }

  void add_interval(ParaverRecord record, int64_t start_ns, int64_t end_ns) {
    record.time_ns = start_ns;
    record.order = start_ns == end_ns ? Order::whole : Order::begin;
    add_record(record);
    if (start_ns == end_ns) return;
    record.time_ns = end_ns;
    record.order = Order::end;
    add_record(record);
  }
  void add_record(const ParaverRecord& record) {
    ParaverTask& task = parts_.tasks.back();
    task.begin_ns = std::min(task.begin_ns, record.time_ns);
    task.end_ns = std::max(task.end_ns, record.time_ns);
    parts_.records.add(record);
  }
  int64_t correlation(int64_t number) {
    if (number == trace::Launch::no_correlation) return ParaverRecord::none;
    parts_.labels.saw_correlation();
    return number;
  }

  void host() {
    std::vector<ParaverThread> threads;
    threads.reserve(trace_.host->threads.size());
    for (size_t i = 0; i < trace_.host->threads.size(); ++i) {
      threads.emplace_back(parts_.rows, static_cast<int64_t>(i));
    }
    calls(threads);
    ranges(threads);
  }

  void calls(std::vector<ParaverThread>& threads) {
    const trace::HostTrace& host = *trace_.host;
    std::vector<uint32_t> names;
    names.reserve(host.calls.size());
    for (const trace::HostCall& call : host.calls) {
      names.push_back(parts_.labels.calls.add(call.name));
    }
    call_row_.reserve(host.launches.size());
    for (const trace::Launch& launch : host.launches) {
      ParaverRecord record;
      record.row = threads[launch.thread].row_of_call(launch.start_ns, launch.end_ns());
      record.kind = Kind::call;
      record.value = names[launch.call];
      record.number = correlation(launch.correlation);
      add_interval(record, launch.start_ns, launch.end_ns());
      call_row_.push_back(record.row);
    }
  }

  void ranges(std::vector<ParaverThread>& threads) {
    const trace::HostTrace& host = *trace_.host;
    for (const trace::HostRange& range : host.ranges) {
      if (host.threads[range.thread].other_clock) continue;  // of another clock
      const std::string_view name = host.range_names[range.name];
      ParaverRecord record;
      record.row = threads[range.thread].row_of_range(range.start_ns, range.end_ns);
      if (range.kind == trace::HostRange::Kind::module) {
        record.kind = Kind::module;
        record.value = parts_.labels.host_modules.add(name);
      } else {
        record.kind = Kind::range;
        record.domain = parts_.labels.add_domain(
            host.range_texts.empty() ? std::string_view() : host.range_texts[range.name].domain);
        record.value = parts_.labels.ranges(record.domain).add(name);
      }
      add_interval(record, range.start_ns, range.end_ns);
    }
  }

  /// Records what KernelsInFlight reports, for the device with that row.
  auto recorder(uint32_t row) {
    return [this, row](int64_t time_ns, uint32_t phase, int64_t count) {
      ParaverRecord record;
      record.time_ns = time_ns;
      record.row = row;
      record.kind = Kind::in_flight;
      record.value = phase;
      record.number = count;
      add_record(record);
    };
  }

  void operations() {
    const classify::Attribution& attribution = run_.attribution(parts_.rules);
    const bool phases = !attribution.steps.empty();
    Places places(trace_, attribution);
    std::vector<ParaverLanes> streams;
    streams.reserve(trace_.tracks.size());
    for (const trace::Track& track : trace_.tracks) {
      streams.emplace_back(parts_.rows, Section::stream, track.device, track.stream);
    }
    operation_row_.reserve(trace_.host ? trace_.operations.size() : 0);
    for (size_t i = 0; i < trace_.operations.size(); ++i) {
      const trace::Operation& operation = trace_.operations[i];
      ParaverRecord record = named(i);
      record.row = streams[operation.track.index].row(operation.start_ns, operation.end_ns());
      record.number = correlation(correlation_of(i));
      if (record.bytes != ParaverRecord::none) parts_.labels.saw_bytes();
      belongs(places, i, record);
      add_interval(record, operation.start_ns, operation.end_ns());
      if (trace_.host) operation_row_.push_back(record.row);
      if (phases && record.kind != Kind::copy) in_flight(i, record.phase);
    }
    for (auto& [device, one] : in_flight_) one.counts.finish(recorder(one.row));
  }

  void in_flight(size_t i, uint32_t phase) {
    const trace::Operation& operation = trace_.operations[i];
    const int32_t device = trace_.track(operation.track).device;
    const auto [at, added] = in_flight_.try_emplace(device);
    if (added) at->second.row = parts_.rows.add(Section::in_flight, device);
    parts_.labels.saw_in_flight();
    at->second.counts.add(operation.start_ns, operation.end_ns(), phase, recorder(at->second.row));
  }

  ParaverRecord named(size_t i) const {
    const NamedOperation& known = named_[run_.labelled.row(i, trace_.operations[i])];
    ParaverRecord record;
    record.kind = known.kind;
    record.value = known.value;
    record.labels = known.labels;
    record.bytes = bytes_of(known.kind, i);
    return record;
  }

  int64_t bytes_of(Kind kind, size_t i) const {
    if (kind != Kind::copy || !trace_.details) return ParaverRecord::none;
    return trace_.details->of(i).get(trace::DetailField::bytes).value_or(ParaverRecord::none);
  }

  /// Of one that no call launched, it could be that of a call of another process.
  int64_t correlation_of(size_t i) const {
    if (const trace::HostTrace* host = trace_.host.get()) {
      const trace::Launch* const launch = host->launch(i);
      return launch != nullptr ? launch->correlation : trace::Launch::no_correlation;
    }
    const bool known = trace_.details &&
                       trace_.details->correlation_of[i] != trace::OperationDetails::no_correlation;
    return known ? trace_.details->correlation_of[i] : trace::Launch::no_correlation;
  }

  /// The innermost of each.
  void belongs(Places& places, size_t i, ParaverRecord& record) {
    record.phase = places.phase.of(i, parts_.labels.phases);
    record.module = places.module.of(i, parts_.labels.modules);
    for (const uint32_t key : places.layer.keys(i)) {
      record.layer = static_cast<uint32_t>(places.layer.number(key)) + 1;
      parts_.labels.add_layer(record.layer);
    }
  }

  void launches() {
    const trace::LaunchedOperations launched(*trace_.host);
    for (size_t i = 0; i < launched.size(); ++i) {
      const uint32_t launch = launched.launch(i);
      for (const uint32_t operation : launched.operations(i)) {
        const Kind kind = named_[run_.labelled.row(operation, trace_.operations[operation])].kind;
        ParaverRecord record;
        record.time_ns = trace_.host->launches[launch].start_ns;
        record.row = call_row_[launch];
        record.order = Order::communication;
        record.kind = kind == Kind::copy ? Kind::copy_launch : Kind::kernel_launch;
        record.value = operation_row_[operation];
        record.number = trace_.operations[operation].start_ns;
        record.bytes = bytes_of(kind, operation);
        add_record(record);
      }
    }
  }

  /// Values are whole numbers.
  void metrics() {
    constexpr double most = 9e18;
    std::map<int32_t, uint32_t> gpus;
    for (const trace::GpuMetric& metric : trace_.gpu_metrics->metrics) {
      const auto [gpu, added] = gpus.try_emplace(metric.gpu);
      if (added) gpu->second = parts_.rows.add(Section::metrics, metric.gpu);
      const uint32_t type = parts_.labels.add_metric(metric.name);
      for (const trace::MetricSample& sample : metric.samples) {
        ParaverRecord record;
        record.time_ns = sample.time_ns;
        record.row = gpu->second;
        record.kind = Kind::metric;
        record.value = type;
        record.number = std::llround(std::clamp(sample.value, -most, most));
        add_record(record);
      }
    }
  }

  ParaverParts& parts_;
  const analyze::LabelledTrace& run_;
  const trace::Trace& trace_;
  struct DeviceInFlight {
    uint32_t row = 0;
    KernelsInFlight counts = {};
  };

  std::map<int32_t, DeviceInFlight> in_flight_;
  std::vector<NamedOperation> named_;    // by row of labels
  std::vector<uint32_t> call_row_;       // by launch
  std::vector<uint32_t> operation_row_;  // by operation
};

}  // namespace

ParaverTrace::ParaverTrace(const match::CompiledRules& rules, const std::string& shown,
                           size_t memory_bytes)
    : parts_(new ParaverParts{rules, shown, ParaverSorter(shown, memory_bytes)}) {}

ParaverTrace::~ParaverTrace() = default;

void ParaverTrace::add(const analyze::LabelledTrace& run) {
  parts_->rows.begin_task(run.trace.distributed.rank);
  parts_->records.begin_group();
  parts_->tasks.push_back({.source = run.trace.source, .utc_ns = run.trace.clock.utc_ns});
  ParaverRun(*parts_, run).add();
}

bool ParaverParts::has_clocks() const {
  return std::all_of(tasks.begin(), tasks.end(),
                     [](const ParaverTask& task) { return task.empty() || task.utc_ns; });
}

std::vector<int64_t> ParaverParts::offsets(const std::map<std::string, int64_t>& shifts_ns) const {
  const bool clocks = has_clocks();
  const ParaverTask* first = nullptr;
  std::vector<int64_t> offsets(tasks.size());
  for (size_t i = 0; i < tasks.size(); ++i) {
    const ParaverTask& task = tasks[i];
    if (task.empty()) continue;
    if (first == nullptr) first = &task;
    const int64_t to = clocks ? *task.utc_ns : first->begin_ns;
    const int64_t from = clocks ? *first->utc_ns : task.begin_ns;
    int64_t& offset_ns = offsets[i];
    const auto shift = shifts_ns.find(task.source);
    int64_t ignored = 0;
    if (__builtin_sub_overflow(to, from, &offset_ns) ||
        __builtin_add_overflow(offset_ns, shift == shifts_ns.end() ? 0 : shift->second,
                               &offset_ns) ||
        __builtin_add_overflow(task.begin_ns, offset_ns, &ignored) ||
        __builtin_add_overflow(task.end_ns, offset_ns, &ignored)) {
      throw Error(task.source, "times do not fit in 64 bits on the clock of the first run");
    }
  }
  return offsets;
}

bool ParaverTrace::has_unknown_clocks() const {
  return parts_->tasks.size() > 1 && !parts_->has_clocks();
}

void ParaverTrace::write(const Files& files, const std::map<std::string, int64_t>& shifts_ns) {
  ParaverParts& parts = *parts_;
  parts.labels.number();
  parts.rows.number(parts.shown);
  const std::vector<int64_t> offsets = parts.offsets(shifts_ns);
  std::optional<int64_t> begin_ns;
  std::optional<int64_t> utc_ns;
  int64_t end_ns = 0;
  for (size_t i = 0; i < parts.tasks.size(); ++i) {
    const ParaverTask& task = parts.tasks[i];
    if (task.empty()) continue;
    if (!begin_ns) utc_ns = task.utc_ns;
    end_ns = std::max(begin_ns ? end_ns : task.end_ns + offsets[i], task.end_ns + offsets[i]);
    begin_ns = std::min(begin_ns.value_or(task.begin_ns + offsets[i]), task.begin_ns + offsets[i]);
  }
  const int64_t base_ns = begin_ns.value_or(0);
  int64_t duration_ns = 0;
  if (__builtin_sub_overflow(end_ns, base_ns, &duration_ns) || duration_ns > longest_ns) {
    throw Error(parts.shown, "spans more than the 104 days that Paraver can read",
                "do the runs belong to one job, and are their clocks right?");
  }
  if (utc_ns && __builtin_add_overflow(*utc_ns, base_ns, &*utc_ns)) utc_ns.reset();
  ParaverText text(parts.labels, parts.rows, base_ns, files.prv);
  text.header(duration_ns, utc_ns);
  parts.records.each(offsets, [&](const ParaverRecord& record) { text.add(record); });
  text.finish();
  parts.labels.write(files.pcf);
  files.row(parts.rows.text());
}

}  // namespace kr::exports
