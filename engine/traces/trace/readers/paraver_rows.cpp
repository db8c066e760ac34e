#include "trace/readers/paraver_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/operation_kind.hpp"
#include "trace/call_kinds.hpp"
#include "trace/readers/messages.hpp"

namespace kr::trace {
namespace {

constexpr const char* number_fault = "has a field that is not a number of 64 bits";
constexpr const char* time_fault = "has a time that does not fit in 64 bits of nanoseconds";
constexpr uint32_t no_thread = HostRange::none;

/// Of Extrae: the GPU's share of a copy.
constexpr int64_t transfer_state = 17;

/// Of kr, and free for its labels.
constexpr int64_t first_kr_type = 96'000'000;

/// Communications that lead from a call to what it launched: nothing that events don't say.
constexpr int64_t first_launch_tag = 55001;
constexpr int64_t last_launch_tag = 55003;
constexpr int64_t extrae_launch_tag = 49370;

/// Numbers of correlation are those of a process: each task has its own.
int64_t of_task(int64_t correlation, uint32_t task) noexcept {
  constexpr int task_at = 40;
  const bool fits = 0 <= correlation && correlation < int64_t{1} << task_at;
  return fits ? correlation + (int64_t{task} << task_at) : correlation;
}

bool take_field(std::string_view& line, int64_t& value) noexcept {
  const auto number = take_number(line);
  if (!number) return false;
  value = *number;
  if (line.empty()) return true;
  if (line.front() != ':') return false;
  line.remove_prefix(1);
  return true;
}

/// nsys2prv leaves out the brackets of copies and sets.
std::string with_brackets(std::string_view label) {
  std::string name = fmt::format("[{}]", label);
  const bool bracketed = operation_kind_of(name) != OperationKind::kernel &&
                         operation_kind_of(label) == OperationKind::kernel;
  return bracketed ? name : std::string(label);
}

}  // namespace

ParaverRecords::ParaverRecords(const Input& input, const ParaverObjects& objects,
                               const ParaverNames& names, TraceBuilder& out)
    : options_(input.options()),
      objects_(objects),
      names_(names),
      out_(out),
      open_(objects.rows()),
      tracks_(objects.rows()),
      threads_(objects.rows(), no_thread),
      has_copies_(names.has(ParaverRole::copy)),
      has_host_(options_.host == HostDetail::all &&
                (names.has(ParaverRole::call) || names.has(ParaverRole::range) ||
                 names.has(ParaverRole::module))),
      has_details_(options_.operation_details &&
                   (names.has(ParaverRole::bytes) || names.has(ParaverRole::correlation))),
      host_rows_(names.has_streams()) {
  if (has_host_) out.host();
  if (has_details_) out.details();
}

const char* ParaverRecords::read(std::string_view line, uint64_t offset) {
  if (line.empty() || line.front() == '#' || line.starts_with("c:")) return nullptr;
  int64_t kind = 0;
  if (!take_field(line, kind)) return number_fault;
  if (kind == 1) return state(line, offset);
  if (kind == 2) return events(line, offset);
  if (kind == 3) return communication(line, offset);
  return "is not a state, event or communication";
}

/// The processor and the object.
const char* ParaverRecords::place(std::string_view& line, uint32_t& row) const {
  int64_t fields[4];
  for (int64_t& field : fields) {
    if (!take_field(line, field)) return number_fault;
  }
  const auto known = objects_.row(fields[1], fields[2], fields[3]);
  if (!known) return "names a thread that is not in the header";
  row = *known;
  return nullptr;
}

const char* ParaverRecords::time(std::string_view& line, int64_t& ns) const {
  int64_t time = 0;
  if (!take_field(line, time)) return number_fault;
  return __builtin_mul_overflow(time, objects_.unit_ns, &ns) ? time_fault : nullptr;
}

ParaverRow ParaverRecords::row(uint32_t number) const {
  return number < names_.rows().size() ? names_.rows()[number] : ParaverRow{};
}

const char* ParaverRecords::state(std::string_view line, uint64_t offset) {
  uint32_t row = 0;
  Event begun;
  int64_t end_ns = 0;
  if (const char* why = place(line, row)) return why;
  if (const char* why = time(line, begun.time_ns)) return why;
  if (const char* why = time(line, end_ns)) return why;
  if (!take_field(line, begun.value) || !line.empty()) return number_fault;
  if (end_ns < begun.time_ns) return "ends before it begins";
  const bool transfer = begun.value == transfer_state && !has_copies_ &&
                        this->row(row).kind == ParaverRow::Kind::stream;
  int64_t duration_ns = 0;
  if (__builtin_sub_overflow(end_ns, begun.time_ns, &duration_ns)) return time_fault;
  if (!transfer) {
    out_.add_dropped("state, which is not GPU work", offset);
    return nullptr;
  }
  std::string_view name = names_.state(begun.value);
  if (name.empty()) name = "Memory transfer";
  add_operation(row, out_.name(name, OperationKind::memcpy), begun, duration_ns);
  return nullptr;
}

const char* ParaverRecords::communication(std::string_view line, uint64_t offset) {
  for (int side = 0; side < 2; ++side) {
    uint32_t row = 0;
    int64_t ns = 0;
    if (const char* why = place(line, row)) return why;
    for (int i = 0; i < 2; ++i) {
      if (const char* why = time(line, ns)) return why;
    }
  }
  int64_t size = 0;
  int64_t tag = 0;
  if (!take_field(line, size) || !take_field(line, tag) || !line.empty()) return number_fault;
  const bool launch =
      (first_launch_tag <= tag && tag <= last_launch_tag) || tag == extrae_launch_tag;
  if (!launch) out_.add_dropped("communication, which is not a launch", offset);
  return nullptr;
}

const ParaverType* ParaverRecords::type(int64_t number) {
  const auto [known, added] = types_.try_emplace(number);
  if (added) known->second = names_.type(number);
  return known->second;
}

const char* ParaverRecords::events(std::string_view line, uint64_t offset) {
  uint32_t row = 0;
  int64_t time_ns = 0;
  if (const char* why = place(line, row)) return why;
  if (const char* why = time(line, time_ns)) return why;
  if (line.empty()) return "has no event";
  const bool metrics = this->row(row).kind == ParaverRow::Kind::metrics;
  Event common;
  line_.clear();
  while (!line.empty()) {
    Event event{.time_ns = time_ns, .offset = offset};
    if (!take_field(line, event.type) || line.empty() || !take_field(line, event.value)) {
      return number_fault;
    }
    event.of = type(event.type);
    if (event.of == nullptr) {
      out_.add_dropped("event of a type that is not in the .pcf", offset);
      continue;
    }
    switch (event.of->role) {
      case ParaverRole::bytes:
        common.bytes = event.value;
        break;
      case ParaverRole::correlation:
        common.correlation = event.value;
        break;
      case ParaverRole::other:
        if (metrics && event.of->values == nullptr) {
          sample(row, event);
        } else {
          unread(event);
        }
        break;
      case ParaverRole::range:
        // A number that is no text is the size or the line of something.
        event.of->values != nullptr ? line_.push_back(event) : unread(event);
        break;
      default:
        line_.push_back(event);
    }
  }
  for (Event& event : line_) {
    event.bytes = common.bytes;
    event.correlation = common.correlation;
    take(row, event);
  }
  return nullptr;
}

void ParaverRecords::unread(const Event& event) {
  if (event.type >= first_kr_type) return;  // kr's labels, which it finds again
  if (unread_.empty()) {
    unread_ =
        fmt::format("event of a type that no table has, such as `{}`", shown_text(event.of->label));
  }
  out_.add_dropped(unread_, event.offset);
}

/// Value 0 ends what the type has begun on the row; ranges are inside each other.
void ParaverRecords::take(uint32_t row, const Event& event) {
  std::vector<Event>& open = open_[row];
  const auto begun = std::find_if(open.rbegin(), open.rend(),
                                  [&](const Event& one) { return one.type == event.type; });
  const bool range = event.of->role == ParaverRole::range || event.of->role == ParaverRole::module;
  const bool nests = range && event.value != 0;
  if (begun != open.rend() && !nests) {
    const Event ended = *begun;
    open.erase(std::next(begun).base());
    if (event.value != 0) {
      out_.add_dropped("event that begins before another of its type has ended: it ends there",
                       event.offset);
    }
    end(row, ended, event.time_ns);
  } else if (event.value == 0) {
    out_.add_dropped("end of an event that has not begun", event.offset);
  }
  if (event.value != 0) open.push_back(event);
}

void ParaverRecords::end(uint32_t row, const Event& begun, int64_t end_ns) {
  int64_t duration_ns = 0;
  if (__builtin_sub_overflow(end_ns, begun.time_ns, &duration_ns) || duration_ns < 0) {
    out_.add_dropped("event that ends before it begins", begun.offset);
    return;
  }
  const ParaverRole role = begun.of->role;
  if (role == ParaverRole::kernel || role == ParaverRole::copy) {
    operation(row, begun, duration_ns);
  } else {
    host(row, begun, duration_ns);
  }
}

void ParaverRecords::operation(uint32_t row, const Event& begun, int64_t duration_ns) {
  // Extrae has the kernel on the thread that launches it, too.
  if (host_rows_ && this->row(row).kind != ParaverRow::Kind::stream) return;
  add_operation(row, name_of(begun), begun, duration_ns);
}

void ParaverRecords::add_operation(uint32_t row, NameId name, const Event& begun,
                                   int64_t duration_ns) {
  out_.add({begun.time_ns, duration_ns, name, track_of(row)});
  if (has_host_) {
    int64_t correlation = begun.correlation;
    const uint32_t task = objects_.task_of[row];
    if (correlation != Launch::no_correlation) correlation = of_task(correlation, task);
    out_.add_correlations(&correlation, 1);
  }
  if (!has_details_) return;
  OperationDetail detail;
  detail[DetailField::bytes] = begun.bytes;
  const uint32_t number = out_.details().distinct.add(detail);
  const bool known = begun.correlation != Launch::no_correlation;
  const uint32_t correlation =
      OperationDetails::correlation(known ? std::optional(begun.correlation) : std::nullopt);
  out_.add_details(&number, &correlation, 1);
}

void ParaverRecords::host(uint32_t row, const Event& begun, int64_t duration_ns) {
  if (options_.host == HostDetail::none) return;
  const bool module = begun.of->role == ParaverRole::module;
  const bool range = module || begun.of->role == ParaverRole::range;
  if (options_.host == HostDetail::range_names) {
    if (range) out_.range_name(text_of(begun));
    return;
  }
  if (range) {
    const uint32_t name = out_.range_name(text_of(begun));
    out_.host().ranges.push_back({begun.time_ns, begun.time_ns + duration_ns, name, thread_of(row),
                                  HostRange::none,
                                  module ? HostRange::Kind::module : HostRange::Kind::annotation,
                                  HostRange::Form::push_pop});
    return;
  }
  int64_t correlation = begun.correlation;
  if (correlation != Launch::no_correlation) {
    correlation = of_task(correlation, objects_.task_of[row]);
  }
  const std::string text = text_of(begun);
  const std::string_view name = without_version(text);
  const std::string version = text.substr(std::min(name.size() + 1, text.size()));
  const uint32_t call = out_.call({std::string(name), is_driver_call(name), version});
  out_.host().launches.push_back({correlation, begun.time_ns, duration_ns, call, thread_of(row)});
}

std::string ParaverRecords::text_of(const Event& event) {
  if (event.of->values != nullptr) {
    const auto label = event.of->values->find(event.value);
    if (label != event.of->values->end()) return label->second;
  }
  out_.add_dropped("value without a label in the .pcf", event.offset);
  return fmt::format("{} {}", event.of->label, event.value);
}

NameId ParaverRecords::name_of(const Event& event) {
  NameId& name = known_names_[{event.type, event.value}];
  if (name.valid()) return name;
  const std::string text = text_of(event);
  if (event.of->role == ParaverRole::kernel) return name = out_.name(text, OperationKind::kernel);
  const std::string copy = with_brackets(text);
  OperationKind kind = operation_kind_of(copy);
  if (kind == OperationKind::kernel) kind = OperationKind::memcpy;
  return name = out_.name(copy, kind);
}

uint32_t ParaverRecords::thread_of(uint32_t row) {
  if (threads_[row] != no_thread) return threads_[row];
  const ParaverObjects::Task& task = objects_.tasks[objects_.task_of[row]];
  const uint32_t place = static_cast<uint32_t>(row - task.first_row);
  threads_[row] =
      out_.thread({fmt::format("{}.{}", task.application, task.number),
                   fmt::format("{}", place - std::min(place, this->row(row).lane) + 1)});
  return threads_[row];
}

TrackId ParaverRecords::track_of(uint32_t row) {
  if (tracks_[row].valid()) return tracks_[row];
  const uint32_t number = objects_.task_of[row];
  const ParaverObjects::Task& task = objects_.tasks[number];
  const ParaverRow of = this->row(row);
  Track track{of.device, of.stream, ""};
  if (of.kind != ParaverRow::Kind::stream) track.stream = row - task.first_row + 1;
  // Tasks do not share a device, whatever its number.
  if (objects_.tasks.size() > 1) {
    track.device_name = fmt::format("task {}.{}", task.application, task.number);
  }
  tracks_[row] = out_.track(track);
  if (tracks_[row].index >= task_of_track_.size()) task_of_track_.resize(tracks_[row].index + 1);
  task_of_track_[tracks_[row].index] = number;
  return tracks_[row];
}

void ParaverRecords::sample(uint32_t row, const Event& event) {
  if (!options_.gpu_metrics) return;
  const int32_t gpu = this->row(row).device;
  GpuMetric& metric = metrics_[{objects_.task_of[row], gpu, event.type}];
  if (metric.samples.empty()) {
    metric.gpu = gpu;
    metric.name = event.of->label;
  }
  if (event.value < 0) {
    out_.add_dropped("sample of a metric below 0", event.offset);
    return;
  }
  metric.samples.push_back({event.time_ns, static_cast<double>(event.value)});
}

void ParaverRecords::finish() {
  for (const std::vector<Event>& open : open_) {
    for (const Event& event : open) out_.add_dropped("event without an end", event.offset);
  }
  number_devices();
  finish_metrics();
}

/// Devices of several tasks that have the same number are different ones.
void ParaverRecords::number_devices() {
  std::vector<Track>& tracks = out_.tracks();
  std::map<int32_t, uint32_t> task_of;
  bool same = false;
  for (size_t i = 0; i < tracks.size(); ++i) {
    const auto known = task_of.try_emplace(tracks[i].device, task_of_track_[i]).first;
    same |= known->second != task_of_track_[i];
  }
  for (size_t i = 0; i < tracks.size(); ++i) {
    devices_.try_emplace({task_of_track_[i], tracks[i].device}, tracks[i].device);
  }
  if (!same) return;
  int32_t next = 0;
  for (auto& [key, device] : devices_) device = next++;
  for (size_t i = 0; i < tracks.size(); ++i) {
    tracks[i].device = devices_[{task_of_track_[i], tracks[i].device}];
  }
  out_.warn("devices-renumbered",
            "Several tasks have devices of the same number: they are numbered over all tasks.",
            "info");
}

void ParaverRecords::finish_metrics() {
  if (metrics_.empty()) return;
  GpuMetrics all;
  for (auto& [key, metric] : metrics_) {
    if (metric.samples.empty()) continue;
    const auto device = devices_.find({std::get<0>(key), metric.gpu});
    if (device != devices_.end()) metric.device = metric.gpu = device->second;
    finish_metric(metric);
    all.metrics.push_back(std::move(metric));
  }
  std::sort(all.metrics.begin(), all.metrics.end(), [](const GpuMetric& a, const GpuMetric& b) {
    return std::tie(a.gpu, a.name) < std::tie(b.gpu, b.name);
  });
  out_.gpu_metrics(std::move(all));
}

}  // namespace kr::trace
