#include "trace/readers/ascend_events.hpp"

#include "base/ascii.hpp"
#include "base/integer.hpp"

namespace kr::trace {
namespace {

constexpr std::string_view ascend_module = "nn.Module: ";
constexpr std::string_view ascend_step = "ProfilerStep#";

}  // namespace

void AscendFound::clear() {
  events = 0;
  broken = false;
  texts = {};
  texts.add("");
  processes.clear();
  rows.clear();
  bad.clear();
  sent.clear();
  requested.clear();
  begun.clear();
  enqueued.clear();
  dequeued.clear();
  untimed.clear();
  ranges.clear();
}

void AscendEvents::parse(const TextBlock& window, bool first, AscendFound& out) {
  out.clear();
  out_ = &out;
  last_process_ = last_thread_ = 0;
  window_offset_ = window.offset;
  out.broken = !tokens_.find(window.text());
  if (out.broken) return;
  JsonWalk json(tokens_.text(), tokens_.tokens(), 1);
  json_ = &json;
  const size_t end = tokens_.text().size();
  for (bool comma = !first; json.place() != end; comma = true) {
    if (comma && !json.step_over(',')) break;
    const size_t begin = json.place();
    if (json.peek() != '{' || !event()) break;
    take(window_offset_ + begin);
    ++out.events;
  }
  out.broken = json.place() != end;
}

/// Over an object. `find(key)` returns where to put the value, or null: it has read it.
template <class Find>
bool AscendEvents::members(const Find& find) {
  json_->step();
  if (json_->step_over('}')) return true;
  JsonRaw passed;
  do {
    std::string_view key;
    if (!json_->string(key) || !json_->step_over(':')) return false;
    JsonRaw* const to = find(json_->plain(key, key_), passed);
    if (to == nullptr ? !arguments() : !json_->value(*to)) return false;
  } while (json_->step_over(','));
  return json_->step_over('}');
}

bool AscendEvents::event() {
  event_ = {};
  return members([this](std::string_view key, JsonRaw& passed) -> JsonRaw* {
    switch (key.size()) {
      case 2:
        if (key == "ph") return &event_.phase;
        if (key == "ts") return &event_.start;
        if (key == "id") return &event_.id;
        break;
      case 3:
        if (key == "pid") return &event_.process;
        if (key == "tid") return &event_.thread;
        if (key == "dur") return &event_.duration;
        if (key == "cat") return &event_.category;
        break;
      case 4:
        if (key == "name") return &event_.name;
        if (key == "args" && json_->peek() == '{') return nullptr;
        break;
      default:
        break;
    }
    return &passed;
  });
}

bool AscendEvents::arguments() {
  return members([this](std::string_view key, JsonRaw& passed) -> JsonRaw* {
    if (key == "connection_id") return &event_.connection;
    if (key == "Task Type") return &event_.type;
    if (key == "Stream Id" || key == "Physic Stream Id") return &event_.stream;
    if (key == "correlation_id") return &event_.correlation;
    if (key == "name") return &event_.process_name;
    return &passed;
  });
}

/// As it is written: of a string or a number; of others nothing. Until the next call.
std::string_view AscendEvents::text(const JsonRaw& raw) {
  if (raw.kind == JsonRaw::Kind::number) return raw.text;
  if (raw.kind != JsonRaw::Kind::string) return {};
  return json_->plain(raw.text, scratch_);
}

/// Of a string; of others nothing.
std::string_view AscendEvents::string(const JsonRaw& raw, std::string& to) {
  return raw.kind == JsonRaw::Kind::string ? json_->plain(raw.text, to) : std::string_view();
}

/// Events of one process or thread follow each other.
uint32_t AscendEvents::number(const JsonRaw& raw, uint32_t& last) {
  const std::string_view written = text(raw);
  if (out_->texts.text(last) != written) last = out_->texts.add(written);
  return last;
}

template <class Number>
std::optional<Number> AscendEvents::integer(const JsonRaw& raw) {
  return integer_from<Number>(text(raw));
}

AscendEvents::Time AscendEvents::time(const JsonRaw& raw) {
  constexpr int microseconds = 3;
  Time time;
  if (raw.kind == JsonRaw::Kind::absent || raw.kind == JsonRaw::Kind::null) return time;
  const std::string_view written = text(raw);
  const auto is_number = [&] {
    number_.assign(written);
    return is_json_number(number_);
  };
  const bool number =
      raw.kind == JsonRaw::Kind::number || (raw.kind == JsonRaw::Kind::string && is_number());
  time.fault =
      number ? read_json_number(written, microseconds, time.ns) : DecimalFault::not_a_number;
  return time;
}

AscendPlace AscendEvents::place() {
  return {number(event_.process, last_process_), number(event_.thread, last_thread_),
          time(event_.start).ns};
}

void AscendEvents::take(uint64_t offset) {
  const std::string_view phase = string(event_.phase, phase_);
  const std::string_view category = string(event_.category, category_);
  if (phase == "M") {
    if (string(event_.name, scratch_) == "process_name") {
      out_->processes.emplace_back(number(event_.process, last_process_),
                                   text(event_.process_name));
    }
  } else if (phase == "X" && category.empty()) {
    take_row(offset);
  } else if (host_ == HostDetail::none) {
    return;
  } else if (phase == "X") {
    take_host(offset, category);
  } else if (const auto id = integer<uint64_t>(event_.id); id && category == "async_npu") {
    (phase == "s" ? out_->requested : out_->begun).push_back({*id, place()});
  } else if (id && phase == "s" && category == "HostToDevice") {
    out_->sent.push_back({*id, place()});
  }
}

void AscendEvents::take_row(uint64_t offset) {
  const Time start = time(event_.start);
  const Time duration = time(event_.duration);
  AscendRow row;
  row.at = {number(event_.process, last_process_), number(event_.thread, last_thread_), start.ns};
  row.duration_ns = duration.ns;
  row.offset = offset;
  row.connection = integer(event_.connection);
  row.stream = integer(event_.stream);
  row.name = out_->texts.add(string(event_.name, scratch_));
  row.type = out_->texts.add(text(event_.type));
  row.start_fault = start.fault;
  row.duration_fault = duration.fault;
  out_->rows.push_back(row);
  const JsonRaw* bad = nullptr;
  if (start.fault == DecimalFault::not_a_number) bad = &event_.start;
  if (duration.fault == DecimalFault::not_a_number) bad = &event_.duration;
  if (bad != nullptr) out_->bad.emplace_back(offset, json_->plain(bad->text, scratch_));
}

void AscendEvents::take_host(uint64_t offset, std::string_view category) {
  if (category == "enqueue" || category == "dequeue") {
    if (const auto pair = integer(event_.correlation)) {
      (category == "enqueue" ? out_->enqueued : out_->dequeued).push_back({*pair, place()});
    }
    return;
  }
  std::string_view name = string(event_.name, scratch_);
  HostRange::Kind kind = HostRange::Kind::annotation;
  if (category == "python_function") {
    if (!name.starts_with(ascend_module)) return;
    name.remove_prefix(ascend_module.size());
    kind = HostRange::Kind::module;
  } else if (category == "cpu_op") {
    if (!name.starts_with(ascend_step)) kind = HostRange::Kind::op;
  } else if (category != "user_annotation") {
    return;
  }
  if (kind == HostRange::Kind::op && !ops_ && !reference_) return;
  const uint32_t number_of_name = out_->texts.add(name);
  const Time start = time(event_.start);
  const Time duration = time(event_.duration);
  const bool timed = start.fault == DecimalFault::none && duration.fault == DecimalFault::none &&
                     start.ns <= std::numeric_limits<int64_t>::max() - duration.ns;
  // Names alone need no times.
  if (!timed && host_ == HostDetail::all) {
    out_->untimed.push_back(offset);
    return;
  }
  const AscendPlace at{number(event_.process, last_process_), number(event_.thread, last_thread_),
                       start.ns};
  out_->ranges.push_back({at, timed ? start.ns + duration.ns : start.ns, number_of_name, kind});
}

}  // namespace kr::trace
