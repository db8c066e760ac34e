#include "trace/readers/kineto_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/ascii.hpp"
#include "base/integer.hpp"
#include "trace/rank_place.hpp"

namespace kr::trace {
namespace {

using HostKind = EventRows::HostKind;

// What identifies operations in traces that kr wrote (report/chrome_trace.hpp), whose categories
// are labels.
constexpr std::string_view operation_key = "gpu_operation";

template <class Kind>
struct Category {
  std::string_view name;  // lower case
  Kind kind;
};

template <class Kind, size_t count>
std::optional<Kind> category_of(std::string_view text, const Category<Kind> (&all)[count]) {
  for (const Category<Kind>& known : all) {
    if (same_ignoring_case(text, known.name)) return known.kind;
  }
  return std::nullopt;
}

// Of the profilers of 2020 and 2021, and of those since.
constexpr Category<OperationKind> gpu_categories[] = {
    {"kernel", OperationKind::kernel},     {"gpu_memcpy", OperationKind::memcpy},
    {"gpu_memset", OperationKind::memset}, {"memcpy", OperationKind::memcpy},
    {"memset", OperationKind::memset},     {"mtia_ccp_events", OperationKind::kernel},
};

// Of MTIA's command processors: what is not a kernel.
constexpr std::string_view mtia_copy = "dma_request";
constexpr std::array<std::string_view, 2> mtia_signals{"event_wait", "event_record"};

constexpr Category<HostKind> host_categories[] = {
    {"cuda_runtime", HostKind::runtime},
    {"cuda_driver", HostKind::driver},
    {"user_annotation", HostKind::annotation},
    {"python_function", HostKind::module},
    {"runtime", HostKind::runtime},
    {"cpu_op", HostKind::op},
    {"operator", HostKind::op},
    // Of other devices, whose calls launch as those of CUDA do.
    {"xpu_runtime", HostKind::runtime},
    {"xpu_driver", HostKind::driver},
    {"mtia_runtime", HostKind::runtime},
    {"glow_runtime", HostKind::runtime},
    {"privateuse1_runtime", HostKind::runtime},
    {"privateuse1_driver", HostKind::driver},
};

// Of the profiler, beside those: events of the host, of its own, and repetitions of ranges.
constexpr std::string_view other_categories[] = {
    "gpu_user_annotation",
    "ac2g",
    "fwdbwd",
    "trace",
    "overhead",
    "cuda_sync",
    "cpu_instant_event",
    "cuda_profiler_range",
    "collective_comm",
    "graph_event_node",
    "graph_host_node",
    "user_scope",
    "xpu_sync",
    "xpu_scope_profiler",
    "mtia_insight",
    "mtia_counters",
};

bool is_known_category(std::string_view text) {
  return category_of(text, gpu_categories) || category_of(text, host_categories) ||
         std::any_of(std::begin(other_categories), std::end(other_categories),
                     [&](std::string_view known) { return same_ignoring_case(text, known); });
}

// Events behind this are not looked at for what a file without operations has.
constexpr uint64_t looked_at = uint64_t{32} << 20;

/// What kr reads of an operation's launch shape and size. `shared memory` is the sum of what the
/// kernel has and what the launch requests.
std::optional<DetailField> detail_list(std::string_view key) {
  if (key == "grid") return DetailField::grid_x;
  if (key == "block") return DetailField::block_x;
  return std::nullopt;
}

std::optional<DetailField> detail_value(std::string_view key) {
  if (key == "registers per thread") return DetailField::registers;
  if (key == "bytes") return DetailField::bytes;
  if (key == "context") return DetailField::context;
  return std::nullopt;
}

}  // namespace

void FoundLayout::add(std::vector<std::string>& names, std::string_view name) {
  if (names.size() == max_names || std::find(names.begin(), names.end(), name) != names.end()) {
    return;
  }
  names.emplace_back(name);
}

void FoundLayout::add(const FoundLayout& other) {
  for (const std::string& name : other.categories) add(categories, name);
  for (const std::string& name : other.processes) add(processes, name);
  uncategorized += other.uncategorized;
  unknown = unknown || other.unknown;
}

void EventParser::parse(const TextBlock& window, bool first, EventRows& out) {
  window_offset_ = window.offset;
  out_ = &out;
  if (ids_.begin(out)) {
    places_ = {};
    place_ids_ = std::make_shared<std::vector<uint32_t>>();
    calls_of_places_.clear();
  }
  out.place_ids = place_ids_;
  out.events = 0;
  out.phases = out.broken = false;
  out.fault.reset();
  out.found = {};
  out.begin_ns = std::numeric_limits<int64_t>::max();
  out.end_ns = std::numeric_limits<int64_t>::min();
  out.any_time = false;
  out.kept.clear();
  out.arrows.clear();
  out.new_places.clear();
  out.places.clear();
  out.annotated_nodes = out.marked_lanes = false;
  out.samples.clear();
  last_category_.clear();
  if (tokens_.find(window.text())) {
    items(tokens_.text(), first);
  } else {
    out.broken = true;
  }
}

void EventParser::items(std::string_view text, bool first) {
  JsonWalk json(text, tokens_.tokens(), levels_);
  bool comma = !first;
  while (json.place() != text.size()) {
    if (comma && !json.step_over(',')) break;
    comma = true;
    const size_t begin = json.place();
    const JsonWalk::Mark mark = json.mark();
    if (json.peek() != '{' || !event(json)) {
      out_->broken = true;
      return;
    }
    kept_.reset();
    if (!take(json, begin)) return;
    if (is_sample()) take_sample(json, mark);
    if (places_known_) note_time(json);
    if (plan_ != nullptr) {
      keep(json, tokens_.written().substr(begin, json.since(begin).size()));
    }
    ++out_->events;
  }
  out_->broken = json.place() != text.size();
}

bool EventParser::event(JsonWalk& json) {
  event_ = {};
  json.step();
  if (json.step_over('}')) return true;
  JsonRaw passed;
  do {
    std::string_view key;
    if (!json.string(key) || !json.step_over(':')) return false;
    key = json.plain(key, scratch_);
    JsonRaw* to = &passed;
    switch (key.size()) {
      case 2:
        if (key == "ts") to = &event_.start;
        if (key == "ph") to = &event_.phase;
        if (key == "id") to = &event_.id;
        break;
      case 3:
        if (key == "dur") to = &event_.duration;
        if (key == "cat") to = &event_.category;
        if (key == "pid") to = &event_.process;
        if (key == "tid") to = &event_.thread;
        break;
      case 4:
        if (key == "name") to = &event_.name;
        if (key == "args" && json.peek() == '{') {
          if (!args(json)) return false;
          continue;
        }
        break;
      default:
        break;
    }
    if (!json.value(*to)) return false;
  } while (json.step_over(','));
  return json.step_over('}');
}

// Of each list only as many values as a grid or block has axes.
bool EventParser::list(JsonWalk& json, DetailField first) {
  constexpr size_t axes = 3;
  json.step();
  if (json.step_over(']')) return true;
  JsonRaw passed;
  size_t axis = 0;
  do {
    JsonRaw& to = axis < axes ? event_.details[static_cast<size_t>(first) + axis] : passed;
    ++axis;
    if (!json.value(to)) return false;
  } while (json.step_over(','));
  return json.step_over(']');
}

std::optional<size_t> EventParser::collective_key(std::string_view key) noexcept {
  // The first byte distinguishes most keys.
  if (key.size() < 3 || std::string_view("CDdGIOPRS").find(key[0]) == key.npos) return std::nullopt;
  const auto at = std::find(collective_keys.begin(), collective_keys.end(), key);
  if (at == collective_keys.end()) return std::nullopt;
  return static_cast<size_t>(at - collective_keys.begin());
}

std::optional<size_t> EventParser::inputs_key(std::string_view key) noexcept {
  if (key == "Input Dims" || key == "Input dims") return 0;
  if (key == "Input type") return 1;
  if (key == "Input Strides") return 2;
  if (key == "Concrete Inputs") return 3;
  return std::nullopt;
}

bool EventParser::args(JsonWalk& json) {
  event_.device = event_.stream = event_.correlation = event_.operation = event_.kernel = {};
  event_.own_name = event_.graph = event_.node = event_.original_stream = event_.annotation = {};
  event_.own_modules = event_.own_texts = {};
  event_.direction = event_.size = {};
  event_.annotated_stream = false;
  if (details_) event_.details = {};
  if (collectives_) event_.collective = {};
  if (ops_) event_.inputs = {};
  json.step();
  event_.args = json.mark();
  if (json.step_over('}')) return true;
  JsonRaw passed;
  do {
    std::string_view key;
    if (!json.string(key) || !json.step_over(':')) return false;
    key = json.plain(key, scratch_);
    JsonRaw* to = &passed;
    if (key.size() == 6) {
      if (key == "device") to = &event_.device;
      if (key == "stream") to = &event_.stream;
      if (reference_ && key == "kernel") to = &event_.kernel;
    } else if (key == "correlation") {
      to = &event_.correlation;
    } else if (key == "name") {
      to = &event_.own_name;
    } else if (key == "sycl queue") {
      to = &event_.stream;
    } else if (key == "size") {
      to = &event_.size;
    } else if (key == "direction") {
      to = &event_.direction;
    } else if (key == "graph node id") {
      to = &event_.node;
    } else if (key == "graph id") {
      to = &event_.graph;
    } else if (key == "original_stream") {
      to = &event_.original_stream;
    } else if (key == "annotation") {
      to = &event_.annotation;
    } else if ((key == "module_path" || key == "annotations") && json.peek() == '[') {
      const size_t begin = json.place();
      if (!json.value(passed)) return false;
      (key[0] == 'm' ? event_.own_modules : event_.own_texts) = json.since(begin);
      continue;
    } else if (key == "annotated_stream") {
      event_.annotated_stream = true;
    } else if (key == operation_key) {
      to = &event_.operation;
    } else if (collectives_ && collective_key(key)) {
      to = &event_.collective[*collective_key(key)];
    } else if (ops_ && inputs_key(key)) {
      const size_t begin = json.place();
      JsonRaw& inputs = event_.inputs[*inputs_key(key)];
      if (!json.value(inputs)) return false;
      if (inputs.kind == JsonRaw::Kind::other) inputs.text = json.since(begin);
      continue;
    } else if (details_) {
      const auto list_of = detail_list(key);
      if (list_of && json.peek() == '[') {
        if (!list(json, *list_of)) return false;
        continue;
      }
      if (const auto field = detail_value(key)) {
        to = &event_.details[static_cast<size_t>(*field)];
      }
    }
    if (!json.value(*to)) return false;
  } while (json.step_over(','));
  return json.step_over('}');
}

// False where the event is at fault.
bool EventParser::take(const JsonWalk& json, size_t begin) {
  event_offset_ = window_offset_ + begin;
  out_->phases = out_->phases || event_.phase.kind != JsonRaw::Kind::absent;
  if (event_.name.kind == JsonRaw::Kind::string) {
    const auto at = static_cast<size_t>(event_.name.text.data() - tokens_.text().data());
    event_.name.text = tokens_.written().substr(at, event_.name.text.size());
  }
  if (event_.category.kind != JsonRaw::Kind::string) {
    find_process(json);
    return true;
  }
  const std::string_view category = json.plain(event_.category.text, scratch_);
  if (out_->operations.empty() && category != last_category_ && event_offset_ < looked_at) {
    find_category(category);
  }
  const bool whole =
      event_.phase.kind == JsonRaw::Kind::string && json.plain(event_.phase.text, phase_) == "X";
  if (const auto argument = operation_argument(json); argument && whole) {
    return take_operation(json, *argument, true);
  }
  if (const auto known = category_of(category, gpu_categories)) {
    if (whole) return is_mtia_signal(json) || take_operation(json, *known, false);
    add_dropped("GPU event of a phase other than X");
  } else if (host_ != HostDetail::none && whole) {
    const auto host = category_of(category, host_categories);
    // On the process of its device MTIA has queues, and not threads.
    const bool queue = category == "mtia_runtime" && integer(json, event_.device) &&
                       integer(json, event_.device) == integer(json, event_.process);
    if (host && !queue) take_host(json, *host);
  }
  return true;
}

bool EventParser::is_mtia_event(const JsonWalk& json) {
  return same_ignoring_case(json.plain(event_.category.text, number_text_), "mtia_ccp_events");
}

bool EventParser::is_mtia_signal(const JsonWalk& json) {
  if (event_.name.kind != JsonRaw::Kind::string || !is_mtia_event(json)) return false;
  return std::ranges::find(mtia_signals, json.plain(event_.name.text, number_text_)) !=
         mtia_signals.end();
}

void EventParser::find_category(std::string_view category) {
  last_category_ = category;
  FoundLayout& found = out_->found;
  if (std::find(found.categories.begin(), found.categories.end(), category) !=
      found.categories.end()) {
    return;
  }
  FoundLayout::add(found.categories, category);
  found.unknown = found.unknown || !is_known_category(category);
}

// Of an event without a category: one that names a process, or one of a layout of its own.
void EventParser::find_process(const JsonWalk& json) {
  using Kind = JsonRaw::Kind;
  if (host_ != HostDetail::none && event_.own_name.kind == Kind::string &&
      event_.name.kind == Kind::string && json.plain(event_.name.text, scratch_) == cut_step_name) {
    const std::string_view start = json.plain(event_.own_name.text, number_text_);
    if (const auto ns = integer_from(start)) out_->cut_steps.push_back(*ns);
  }
  if (event_offset_ >= looked_at || event_.phase.kind != Kind::string) return;
  const std::string_view phase = json.plain(event_.phase.text, phase_);
  const std::string_view name = event_.name.kind == Kind::string
                                    ? json.plain(event_.name.text, scratch_)
                                    : std::string_view();
  if (phase == "M" && name == "process_name" && event_.own_name.kind == Kind::string) {
    FoundLayout::add(out_->found.processes, json.plain(event_.own_name.text, number_text_));
  }
  if (phase != "X" || event_.duration.kind == Kind::absent) return;
  ++out_->found.uncategorized;
  if (event_.process.kind == Kind::string) {
    FoundLayout::add(out_->found.processes, process(json));
  }
}

std::optional<OperationKind> EventParser::operation_argument(const JsonWalk& json) {
  if (event_.operation.kind != JsonRaw::Kind::string) return std::nullopt;
  return operation_kind_from(json.plain(event_.operation.text, number_text_));
}

// `certain`: the kind is the event's own word.
bool EventParser::take_operation(const JsonWalk& json, OperationKind kind, bool certain) {
  using Kind = JsonRaw::Kind;
  const bool named = event_.name.kind == Kind::string;
  const auto fault = [&](std::string_view why) {
    const std::string_view name = named ? json.plain(event_.name.text, scratch_) : "";
    out_->fault = {event_offset_,
                   fmt::format("{} `{}`: {}", to_string(kind), shown_text(name), why)};
    return false;
  };
  if (!named && event_.name.kind != Kind::absent && event_.name.kind != Kind::null) {
    return fault("`name` is not a string");
  }
  Operation operation{};
  if (const std::string why = take_times(json, operation); !why.empty()) return fault(why);
  if (!named) add_dropped("operation without a name");
  std::string_view name = named ? json.plain(event_.name.text, scratch_) : "(unnamed operation)";
  const bool mtia = !certain && name == mtia_copy && is_mtia_event(json);
  if (mtia) {
    kind = OperationKind::memcpy;
    if (event_.direction.kind == JsonRaw::Kind::string) {
      copy_name_.assign(name).append(1, ' ').append(
          json.plain(event_.direction.text, number_text_));
      name = copy_name_;
    }
    event_.details[static_cast<size_t>(DetailField::bytes)] = event_.size;
  }
  // The scope profiler of XPUs writes kernels again, 1 ns longer at both ends.
  if (!certain && event_.device.kind == Kind::absent && name.starts_with("metrics: ")) {
    add_dropped("kernel that is there again with its metrics");
    return true;
  }
  // Some profilers of ROCm call copies and fills kernels.
  if (kind == OperationKind::kernel && !certain) kind = operation_kind_of(name);
  operation.name = ids_.name(name, kind);
  node_ = find_node(json);
  const Track place = track(json);
  operation.track = ids_.track(place.device, place.stream, {}, place.member);
  out_->operations.push_back(operation);
  if (plan_ != nullptr) {
    kept_ = plan_->has(CutPlan::Work{place.member, name, kind, place.device, place.stream,
                                     operation.start_ns, operation.duration_ns,
                                     integer(json, event_.correlation)});
  }
  if (host_ == HostDetail::all) {
    out_->correlations.push_back(
        integer(json, event_.correlation).value_or(Launch::no_correlation));
  }
  if (details_) take_detail(json);
  const bool communicates = collectives_ && event_.collective[0].kind == Kind::string;
  if (communicates) take_collective(json);
  const bool own = certain && !(event_.own_modules.empty() && event_.own_texts.empty());
  if (node_ || own) take_annotation(json, place.member, !communicates);
  return true;
}

// A time that cannot be right is marked, and a text that is not a number is an error; with
// `strict`, both are errors.
std::string EventParser::take_times(const JsonWalk& json, Operation& operation) {
  const DecimalFault start = time(json, event_.start, operation.start_ns);
  const DecimalFault duration = time(json, event_.duration, operation.duration_ns);
  if (start == DecimalFault::none && duration == DecimalFault::none) {
    if (operation.start_ns <= std::numeric_limits<int64_t>::max() - operation.duration_ns) {
      return {};
    }
    if (strict_) return "it ends beyond 64 bits of nanoseconds";
    operation.duration_ns = no_duration(TimeFault::too_large);
    return {};
  }
  const auto refused = [this](DecimalFault wrong) {
    return wrong == DecimalFault::not_a_number || (strict_ && wrong != DecimalFault::none);
  };
  if (refused(start)) return describe(start, "ts", event_.start.text);
  if (refused(duration)) return describe(duration, "dur", event_.duration.text);
  if (const auto wrong = time_fault_of(duration)) operation.duration_ns = no_duration(*wrong);
  if (const auto wrong = time_fault_of(start)) {
    operation = {no_start(*wrong), 0, {}, {}};
  }
  return {};
}

void EventParser::take_collective(const JsonWalk& json) {
  const auto& values = event_.collective;
  const auto text = [&](size_t key) {
    const JsonRaw& raw = values[key];
    return raw.kind == JsonRaw::Kind::string ? std::string(json.plain(raw.text, scratch_))
                                             : std::string(raw.text);
  };
  const auto number = [&](size_t key) {
    const auto value = integer(json, values[key]);
    return value && *value >= 0 ? value : std::nullopt;
  };
  // In the order of `collective_keys`.
  const CollectiveCall call{text(0),   text(1),   text(2),   text(3),   text(4),   number(5),
                            number(6), number(7), number(8), number(9), number(11)};
  out_->collectives.push_back({number(10).value_or(CollectiveOperation::no_sequence),
                               static_cast<uint32_t>(out_->operations.size() - 1),
                               ids_.collective_call(call)});
}

void EventParser::take_detail(const JsonWalk& json) {
  OperationDetail detail;
  for (size_t i = 0; i < event_.details.size(); ++i) {
    if (const auto value = integer(json, event_.details[i])) {
      detail[static_cast<DetailField>(i)] = *value;
    }
  }
  if (const auto node = integer(json, event_.node)) detail[DetailField::graph_node] = *node;
  out_->details.push_back(ids_.detail(detail));
  out_->detail_correlations.push_back(
      OperationDetails::correlation(integer(json, event_.correlation)));
}

DecimalFault EventParser::time(const JsonWalk& json, const JsonRaw& raw, int64_t& ns) {
  constexpr int exponent = 3;  // microseconds
  switch (raw.kind) {
    case JsonRaw::Kind::absent:
    case JsonRaw::Kind::null:
      return DecimalFault::missing;
    case JsonRaw::Kind::number:
      return read_json_number(raw.text, exponent, ns);
    case JsonRaw::Kind::string: {
      number_ = json.plain(raw.text, number_text_);
      if (!is_json_number(number_)) return DecimalFault::not_a_number;
      return read_json_number(number_, exponent, ns);
    }
    case JsonRaw::Kind::other:
      break;
  }
  return DecimalFault::not_a_number;
}

std::string_view EventParser::process(const JsonWalk& json) {
  return json.plain(event_.process.text, process_);
}

Track EventParser::track(const JsonWalk& json) {
  std::optional<MergedProcess> merged;
  if (event_.process.kind == JsonRaw::Kind::string) merged = merged_process(process(json));
  std::optional<int64_t> device = integer(json, event_.device);
  if (!device) device = merged ? integer_from(merged->process) : integer(json, event_.process);
  if (!device || *device < std::numeric_limits<int32_t>::min() ||
      *device > std::numeric_limits<int32_t>::max()) {
    add_dropped("operation without a device number: assigned to device 0");
    device = 0;
  }
  // Of nodes of graphs, `stream` may be a lane of a display.
  if (event_.original_stream.kind != JsonRaw::Kind::absent || event_.annotated_stream) {
    out_->marked_lanes = true;
  }
  std::optional<int64_t> stream = integer(json, node_ ? event_.original_stream : event_.stream);
  if (!stream) stream = integer(json, event_.thread, "stream ");
  if (!stream) {
    add_dropped("operation without a stream number: assigned to stream 0");
    out_->made_up_streams = true;
    stream = 0;
  }
  return {static_cast<int32_t>(*device), *stream, {}, std::string(merged ? merged->member : "")};
}

MergedProcess EventParser::plain_process(const JsonWalk& json) {
  const std::string_view written = process(json);
  return merged_process(written).value_or(MergedProcess{{}, written});
}

std::string_view EventParser::phase(const JsonWalk& json) {
  return event_.phase.kind == JsonRaw::Kind::string ? json.plain(event_.phase.text, phase_)
                                                    : std::string_view();
}

// A whole number, or one in a string behind `head`.
std::optional<int64_t> EventParser::integer(const JsonWalk& json, const JsonRaw& raw,
                                            std::string_view head) {
  std::string_view text = raw.text;
  if (raw.kind == JsonRaw::Kind::string) {
    text = json.plain(text, number_text_);
    if (text.starts_with(head)) text.remove_prefix(head.size());
  } else if (raw.kind != JsonRaw::Kind::number) {
    return std::nullopt;
  }
  return integer_from(text);
}

void EventParser::add_dropped(std::string_view what) {
  out_->add_dropped(what, event_offset_);
}

}  // namespace kr::trace
