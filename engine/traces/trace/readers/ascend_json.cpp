// The timeline of Ascend NPUs: `trace_view.json` of torch_npu, and what msprof exports. It is a
// list of Chrome's events, most of them without a category:
//
//     [{"ph": "X", "name": "aten::mm", "cat": "cpu_op", "pid": 7, "tid": 7,
//       "ts": "1704161511420306.491", "dur": 13.08, "args": {}},
//      {"ph": "M", "name": "process_name", "pid": 800, "args": {"name": "Ascend Hardware"}},
//      {"ph": "X", "name": "aclnnMm_MatMulCommon_MatMulV2", "pid": 800, "tid": 3, "ts": "…",
//       "dur": 1.35, "args": {"Task Type": "AI_CORE", "Stream Id": 3, "connection_id": 8}},
//      {"ph": "s", "cat": "HostToDevice", "id": "38654705663", "pid": 9, "tid": 7, "ts": "…"}, …]
//
// What a row is follows from the name of its process, which may come behind it: so rows are kept
// until the end. `Ascend Hardware` has the work, `CANN` the calls. `Communication` (`HCCL`) repeats
// tasks of the hardware, and `Overlap Analysis` is derived from them: both are passed over.
//
// Memory while it is read: 80 bytes a row, some 100 an arrow.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/ascii.hpp"
#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/integer.hpp"
#include "trace/format.hpp"
#include "trace/readers/ascend_tasks.hpp"
#include "trace/readers/json_pull.hpp"
#include "trace/readers/json_tokens.hpp"
#include "trace/readers/messages.hpp"

namespace kr::trace {
namespace {

constexpr std::string_view ascend_hardware = "Ascend Hardware";
constexpr std::string_view ascend_calls = "CANN";
constexpr std::string_view ascend_module = "nn.Module: ";
constexpr std::string_view ascend_step = "ProfilerStep#";
// Repeated from others, or derived: never work of their own.
constexpr std::array<std::string_view, 4> ascend_repeated{"Python", "Communication", "HCCL",
                                                          "Overlap Analysis"};

/// Of members of events and of their arguments, those that are read.
enum class AscendKey : uint8_t {
  other,
  arguments,
  phase,
  category,
  name,
  start,
  duration,
  process,
  thread,
  id,
  task_type,
  stream,
  connection,
  correlation,
};

/// The size of `word` is a constant: no call compares it.
template <size_t size>
bool ascend_is(std::string_view text, const char (&word)[size]) noexcept {
  return text.size() == size - 1 && std::memcmp(text.data(), word, size - 1) == 0;
}

AscendKey ascend_member(std::string_view key) noexcept {
  if (ascend_is(key, "ph")) return AscendKey::phase;
  if (ascend_is(key, "name")) return AscendKey::name;
  if (ascend_is(key, "pid")) return AscendKey::process;
  if (ascend_is(key, "tid")) return AscendKey::thread;
  if (ascend_is(key, "ts")) return AscendKey::start;
  if (ascend_is(key, "dur")) return AscendKey::duration;
  if (ascend_is(key, "args")) return AscendKey::arguments;
  if (ascend_is(key, "cat")) return AscendKey::category;
  return ascend_is(key, "id") ? AscendKey::id : AscendKey::other;
}

AscendKey ascend_argument(std::string_view key) noexcept {
  if (ascend_is(key, "connection_id")) return AscendKey::connection;
  if (ascend_is(key, "Task Type")) return AscendKey::task_type;
  if (ascend_is(key, "Stream Id") || ascend_is(key, "Physic Stream Id")) return AscendKey::stream;
  if (ascend_is(key, "correlation_id")) return AscendKey::correlation;
  return ascend_is(key, "name") ? AscendKey::name : AscendKey::other;
}

class AscendReader {
 public:
  AscendReader(Input& input, TraceBuilder& out)
      : input_(&input),
        out_(&out),
        json_(input, std::min(input.options().block_size, JsonPull::usual_block)),
        host_(input.options().host) {
    if (host_ == HostDetail::all) out.host();
  }

  void run() {
    try {
      json_.expect(JsonKind::array);
      json_.enter();
      while (json_.next()) {
        if (json_.value() != JsonKind::object) {
          throw json_.error("is not an event: events are objects");
        }
        event();
      }
      json_.end();
    } catch (const JsonCut& cut) {
      if (!input_->options().allow_truncated) throw;
      out_->warn("truncated",
                 fmt::format("The file is cut off at byte {}: its {} complete events were read.",
                             cut.place().offset.value_or(0), events_));
    }
    if (input_->truncated()) {
      out_->warn("truncated",
                 fmt::format("The file is cut off: its text ends at byte {}.", input_->offset()));
    }
    out_->clock({0});
    finish();
  }

 private:
  struct Time {
    int64_t ns = 0;
    DecimalFault fault = DecimalFault::missing;
  };
  /// Where something is: numbers of the texts of `pid` and `tid`, and a time.
  struct Place {
    uint32_t process = 0;
    uint32_t thread = 0;
    int64_t ns = 0;

    friend auto operator<=>(const Place&, const Place&) = default;
  };
  /// An event with a duration, of which only the process says what it is.
  struct Row {
    Place at;
    int64_t duration_ns;
    uint64_t offset;
    std::optional<int64_t> connection;
    std::optional<int64_t> stream;
    uint32_t name;
    uint32_t type;
    DecimalFault start_fault;
    DecimalFault duration_fault;

    int64_t end_ns() const noexcept {
      return duration_ns > std::numeric_limits<int64_t>::max() - at.ns
                 ? std::numeric_limits<int64_t>::max()
                 : at.ns + duration_ns;
    }
  };
  struct Arrow {
    uint64_t id;
    Place at;
  };
  /// Of the event being read.
  struct Event {
    std::string phase, category, name, type, process_name;
    uint32_t process = 0;
    uint32_t thread = 0;
    Time start, duration;
    std::optional<int64_t> connection, correlation, stream;
    std::optional<uint64_t> id;
    std::string duration_text, start_text;
  };

  void event() {
    const uint64_t offset = json_.offset();
    Event& event = event_;
    event.phase.clear();
    event.category.clear();
    event.name.clear();
    event.type.clear();
    event.process_name.clear();
    event.process = event.thread = no_text_;
    event.start = event.duration = {};
    event.connection = event.correlation = event.stream = std::nullopt;
    event.id.reset();
    json_.enter();
    while (json_.next()) member(event);
    ++events_;
    take(offset);
  }

  void member(Event& event) {
    const AscendKey key = ascend_member(json_.key());
    const JsonKind kind = json_.value();
    switch (key) {
      case AscendKey::arguments:
        if (kind != JsonKind::object) return json_.skip();
        json_.enter();
        while (json_.next()) argument(event);
        return;
      case AscendKey::phase:
        return string(kind, event.phase);
      case AscendKey::category:
        return string(kind, event.category);
      case AscendKey::name:
        return string(kind, event.name);
      case AscendKey::start:
        event.start = time(kind, event.start_text);
        return;
      case AscendKey::duration:
        event.duration = time(kind, event.duration_text);
        return;
      case AscendKey::process:
        event.process = number_of(text(kind), last_process_);
        return;
      case AscendKey::thread:
        event.thread = number_of(text(kind), last_thread_);
        return;
      case AscendKey::id:
        event.id = integer_from<uint64_t>(text(kind));
        return;
      default:
        json_.skip();
    }
  }

  void argument(Event& event) {
    const AscendKey key = ascend_argument(json_.key());
    const JsonKind kind = json_.value();
    switch (key) {
      case AscendKey::task_type:
        event.type = text(kind);
        return;
      case AscendKey::stream:
        event.stream = integer_from(text(kind));
        return;
      case AscendKey::connection:
        event.connection = integer_from(text(kind));
        return;
      case AscendKey::correlation:
        event.correlation = integer_from(text(kind));
        return;
      case AscendKey::name:
        event.process_name = text(kind);
        return;
      default:
        json_.skip();
    }
  }

  void string(JsonKind kind, std::string& to) {
    if (kind != JsonKind::string) return json_.skip();
    to.assign(json_.string());
  }

  /// As it is written: of a string or a number; of others nothing. Until the next value.
  std::string_view text(JsonKind kind) {
    if (kind == JsonKind::string) return json_.string();
    if (kind == JsonKind::number) return json_.number();
    json_.skip();
    return {};
  }

  /// Events of one process or thread follow each other.
  uint32_t number_of(std::string_view text, uint32_t& last) {
    if (texts_.text(last) != text) last = texts_.add(text);
    return last;
  }

  /// `written`: of what may be no number.
  Time time(JsonKind kind, std::string& written) {
    constexpr int microseconds = 3;
    const std::string_view text = this->text(kind);
    if (kind == JsonKind::null) return {};
    // Not `NaN` or `Infinity`.
    bool number = kind == JsonKind::number && is_digit(text.back());
    if (!number) {
      written.assign(text);
      number = is_json_number(written);
    }
    Time time;
    time.fault =
        number ? read_json_number(text, microseconds, time.ns) : DecimalFault::not_a_number;
    return time;
  }

  void take(uint64_t offset) {
    const Event& event = event_;
    const Place at{event.process, event.thread, event.start.ns};
    if (ascend_is(event.phase, "M")) {
      if (ascend_is(event.name, "process_name")) processes_[event.process] = event.process_name;
    } else if (ascend_is(event.phase, "X") && event.category.empty()) {
      rows_.push_back({at, event.duration.ns, offset, event.connection, event.stream,
                       texts_.add(event.name), texts_.add(event.type), event.start.fault,
                       event.duration.fault});
      if (event.start.fault == DecimalFault::not_a_number) bad_[offset] = event.start_text;
      if (event.duration.fault == DecimalFault::not_a_number) bad_[offset] = event.duration_text;
    } else if (host_ == HostDetail::none) {
      return;
    } else if (ascend_is(event.phase, "X")) {
      take_host(offset, at);
    } else if (event.id && ascend_is(event.category, "async_npu")) {
      (ascend_is(event.phase, "s") ? requested_ : begun_).push_back({*event.id, at});
    } else if (event.id && ascend_is(event.phase, "s") &&
               ascend_is(event.category, "HostToDevice")) {
      sent_.push_back({*event.id, at});
    }
  }

  void take_host(uint64_t offset, const Place& at) {
    const Event& event = event_;
    const bool enqueued = ascend_is(event.category, "enqueue");
    if (enqueued || ascend_is(event.category, "dequeue")) {
      if (!event.correlation) return;
      if (enqueued) {
        enqueued_[*event.correlation] = at;
      } else {
        dequeued_[at] = *event.correlation;
      }
      return;
    }
    std::string_view name = event.name;
    HostRange::Kind kind = HostRange::Kind::annotation;
    if (ascend_is(event.category, "python_function")) {
      if (!name.starts_with(ascend_module)) return;
      name.remove_prefix(ascend_module.size());
      kind = HostRange::Kind::module;
    } else if (ascend_is(event.category, "cpu_op")) {
      if (!name.starts_with(ascend_step)) kind = HostRange::Kind::op;
    } else if (!ascend_is(event.category, "user_annotation")) {
      return;
    }
    const bool op = kind == HostRange::Kind::op;
    if (op && !input_->options().ops && !input_->options().reference) return;
    if (host_ == HostDetail::range_names) {
      if (!op) out_->range_name(name);
      return;
    }
    if (event.start.fault != DecimalFault::none || event.duration.fault != DecimalFault::none ||
        event.start.ns > std::numeric_limits<int64_t>::max() - event.duration.ns) {
      out_->add_dropped("call or range without a valid time", offset);
      return;
    }
    const int64_t end_ns = event.start.ns + event.duration.ns;
    const uint32_t thread = host_thread(at.process, at.thread);
    if (op && input_->options().ops) {
      const uint32_t number = out_->op(name, HostOp{std::string(name), {}});
      out_->ops().calls.push_back({event.start.ns, end_ns, number, thread});
    }
    if (op && !input_->options().reference) return;
    out_->host().ranges.push_back(
        {event.start.ns, end_ns, out_->range_name(name), thread, HostRange::none, kind});
  }

  uint32_t host_thread(uint32_t process, uint32_t thread) {
    const auto [at, added] = threads_.try_emplace({process, thread}, 0);
    if (added) {
      at->second =
          out_->thread({std::string(texts_.text(process)), std::string(texts_.text(thread))});
    }
    return at->second;
  }

  std::string_view process_name(uint32_t process) const {
    const auto at = processes_.find(process);
    return at == processes_.end() ? std::string_view() : at->second;
  }

  void finish() {
    if (host_ == HostDetail::all) {
      find_python();
      add_calls();
      match_requests();
    }
    bool known = false;
    for (const auto& [process, name] : processes_) known = known || name == ascend_hardware;
    for (const Row& row : rows_) {
      const std::string_view process = process_name(row.at.process);
      if (process == ascend_hardware) {
        add_operation(row);
      } else if (process != ascend_calls &&
                 std::ranges::find(ascend_repeated, process) == ascend_repeated.end()) {
        out_->add_dropped("event of a process that kr does not know", row.offset);
      }
    }
    if (out_->operations() != 0) return;
    if (known) {
      out_->warn("no-gpu-work",
                 fmt::format("The trace contains no NPU work: none of its {} events is a task of "
                             "`{}`.",
                             events_, ascend_hardware));
    } else {
      out_->warn("unknown-layout",
                 fmt::format("No operation was found in the {} events: the file has no process "
                             "`{}`.",
                             events_, ascend_hardware));
    }
  }

  /// CANN has a process of its own in the file, with the threads of the program.
  void find_python() {
    std::optional<uint32_t> found;
    for (const auto& [process, name] : processes_) {
      if (name != "Python") continue;
      if (found) return;
      found = process;
    }
    python_ = found;
  }

  bool is_valid(const Row& row) const {
    return row.start_fault == DecimalFault::none && row.duration_fault == DecimalFault::none &&
           row.at.ns <= std::numeric_limits<int64_t>::max() - row.duration_ns;
  }

  /// The calls of CANN, and by arrow the innermost one that it begins in. A call's correlation is
  /// its place.
  void add_calls() {
    std::vector<const Row*> calls;
    for (const Row& row : rows_) {
      if (process_name(row.at.process) != ascend_calls) continue;
      if (is_valid(row)) {
        calls.push_back(&row);
      } else {
        out_->add_dropped("call or range without a valid time", row.offset);
      }
    }
    std::ranges::sort(calls, [](const Row* a, const Row* b) {
      return std::tuple(a->at, -a->duration_ns, a->offset) <
             std::tuple(b->at, -b->duration_ns, b->offset);
    });
    std::ranges::sort(sent_, {}, &Arrow::at);
    std::vector<size_t> open;
    size_t next = 0;
    const auto open_until = [&](const Place& at) {
      for (; next < calls.size() && calls[next]->at <= at; ++next) {
        open.push_back(next);
      }
    };
    for (const Arrow& arrow : sent_) {
      open_until(arrow.at);
      const auto encloses = [&](const Row& row) {
        return row.at.process == arrow.at.process && row.at.thread == arrow.at.thread &&
               (arrow.at.ns < row.end_ns() || arrow.at.ns == row.at.ns);
      };
      while (!open.empty() && !encloses(*calls[open.back()])) open.pop_back();
      if (!open.empty()) call_of_arrow_.try_emplace(arrow.id, static_cast<int64_t>(open.back()));
    }
    HostTrace& host = out_->host();
    for (size_t i = 0; i < calls.size(); ++i) {
      const Row& row = *calls[i];
      const uint32_t call = out_->call({std::string(texts_.text(row.name))});
      host.launches.push_back({static_cast<int64_t>(i), row.at.ns, row.duration_ns, call,
                               host_thread(python_.value_or(row.at.process), row.at.thread)});
    }
    threads_of_calls_.reserve(calls.size());
    for (const Row* row : calls) threads_of_calls_.push_back(row->at.thread);
  }

  /// By place of an operation's begin, where the program requested it: at its op, or where the op
  /// was put into the queue of another thread. The n-th arrow of an id that begins is the n-th that
  /// ends.
  void match_requests() {
    std::ranges::stable_sort(requested_, {}, &Arrow::id);
    std::ranges::stable_sort(begun_, {}, &Arrow::id);
    size_t at = 0;
    for (const Arrow& end : begun_) {
      while (at < requested_.size() && requested_[at].id < end.id) ++at;
      if (at == requested_.size()) return;
      if (requested_[at].id != end.id) continue;
      Place from = requested_[at++].at;
      if (const auto queued = dequeued_.find(from); queued != dequeued_.end()) {
        if (const auto put = enqueued_.find(queued->second); put != enqueued_.end()) {
          from = put->second;
        }
      }
      request_of_.try_emplace(end.at, from);
    }
  }

  void add_operation(const Row& row) {
    const std::string_view type = texts_.text(row.type);
    std::string_view name = texts_.text(row.name);
    if (is_ascend_signal(type) || is_ascend_signal(name)) return;
    Operation operation{row.at.ns, row.duration_ns, {}, {}};
    if (const std::string why = mark_times(row, operation); !why.empty()) {
      throw Error(input_->shown(), Error::Place{.line = {}, .offset = row.offset},
                  fmt::format("task `{}`: {}", shown_text(name), why), JsonPull::usual_remedy());
    }
    if (name.empty()) {
      out_->add_dropped("operation without a name", row.offset);
      name = "(unnamed operation)";
    }
    operation.name = out_->name(name, ascend_kind(type));
    operation.track = out_->track({device(row), stream(row), {}});
    const size_t number = out_->operations();
    out_->add(operation);
    if (host_ != HostDetail::all) return;
    const int64_t launch = launch_of(row);
    out_->add_correlations(&launch, 1);
    request(number, row, launch);
  }

  /// As those of Kineto: a time that cannot be right is marked, and what is not a number an error.
  std::string mark_times(const Row& row, Operation& operation) const {
    const bool strict = input_->options().strict;
    const auto text = [&] {
      const auto at = bad_.find(row.offset);
      return at == bad_.end() ? std::string() : at->second;
    };
    const auto refused = [&](DecimalFault fault) {
      return fault == DecimalFault::not_a_number || (strict && fault != DecimalFault::none);
    };
    if (refused(row.start_fault)) return describe(row.start_fault, "ts", text());
    if (refused(row.duration_fault)) return describe(row.duration_fault, "dur", text());
    if (const auto wrong = time_fault_of(row.duration_fault)) {
      operation.duration_ns = no_duration(*wrong);
    } else if (row.at.ns > std::numeric_limits<int64_t>::max() - row.duration_ns) {
      if (strict) return "it ends beyond 64 bits of nanoseconds";
      operation.duration_ns = no_duration(TimeFault::too_large);
    }
    if (const auto wrong = time_fault_of(row.start_fault)) {
      operation = {no_start(*wrong), 0, {}, {}};
    }
    return {};
  }

  /// The lower five bits of the process are the device, those above what the rows are.
  int32_t device(const Row& row) {
    const auto process = integer_from(texts_.text(row.at.process));
    if (process && *process >= 0) return static_cast<int32_t>(*process & 31);
    out_->add_dropped("operation without a device number: assigned to device 0", row.offset);
    return 0;
  }

  int64_t stream(const Row& row) {
    if (row.stream) return *row.stream;
    if (const auto thread = integer_from(texts_.text(row.at.thread))) return *thread;
    out_->add_dropped("operation without a stream number: assigned to stream 0", row.offset);
    out_->made_up_streams();
    return 0;
  }

  int64_t launch_of(const Row& row) const {
    if (!row.connection || *row.connection < 0) return Launch::no_correlation;
    const auto id = static_cast<uint64_t>(*row.connection) << 32 | 0xffffffff;
    const auto at = call_of_arrow_.find(id);
    return at == call_of_arrow_.end() ? Launch::no_correlation : at->second;
  }

  /// Where another thread than that of the program launched it.
  void request(size_t number, const Row& row, int64_t launch) {
    const auto at = request_of_.find(row.at);
    if (at == request_of_.end()) return;
    const Place& from = at->second;
    if (launch != Launch::no_correlation &&
        threads_of_calls_[static_cast<size_t>(launch)] == from.thread) {
      return;
    }
    const auto [known, added] = creation_of_.try_emplace(from, 0);
    if (added) {
      GrowingArray<NodeCreation>& creations = out_->host().creations;
      known->second = static_cast<uint32_t>(creations.size());
      creations.push_back(
          {.time_ns = from.ns, .thread = host_thread(from.process, from.thread), .queued = true});
    }
    out_->created(number, known->second);
  }

  Input* input_;
  TraceBuilder* out_;
  JsonPull json_;
  HostDetail host_;
  uint64_t events_ = 0;
  DistinctTexts texts_;
  uint32_t no_text_ = texts_.add("");
  uint32_t last_process_ = no_text_, last_thread_ = no_text_;
  Event event_;

  std::map<uint32_t, std::string> processes_;  // by their number in `texts_`: process_name
  std::vector<Row> rows_;
  std::map<uint64_t, std::string> bad_;  // by offset of the event: a time that is not a number
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> threads_;
  std::optional<uint32_t> python_;

  std::vector<Arrow> sent_;               // from calls to operations
  std::vector<Arrow> requested_, begun_;  // from ops to operations: both ends
  std::map<Place, int64_t> dequeued_;     // by its begin: the number of the pair
  std::map<int64_t, Place> enqueued_;     // by that number
  std::unordered_map<uint64_t, int64_t> call_of_arrow_;
  std::vector<uint32_t> threads_of_calls_;  // by correlation
  std::map<Place, Place> request_of_;       // by begin of the operation
  std::map<Place, uint32_t> creation_of_;
};

/// A list of events whose times are decimals in text since 1970, or that names its processes.
bool is_ascend_json(std::string_view head) noexcept {
  if (first_bytes(head) != std::pair('[', '{')) return false;
  if (head.find("\"Ascend Hardware\"") != head.npos) return true;
  constexpr std::string_view key = "\"ts\"";
  constexpr std::string_view blanks = " \t\r\n";
  constexpr size_t digits_of_microseconds = 13;  // since September 2001
  const size_t at = head.find(key);
  if (at == head.npos) return false;
  const size_t colon = head.find_first_not_of(blanks, at + key.size());
  if (colon == head.npos || head[colon] != ':') return false;
  const size_t quote = head.find_first_not_of(blanks, colon + 1);
  if (quote == head.npos || head[quote] != '"') return false;
  size_t end = quote + 1;
  while (end < head.size() && is_digit(head[end])) ++end;
  return end - quote - 1 >= digits_of_microseconds && end < head.size() && head[end] == '.';
}

constexpr std::array<std::string_view, 1> ascend_json_extensions{".json"};

}  // namespace

const TraceFormat ascend_json_format{
    .name = "ascend-json",
    .kind = "Ascend timelines (JSON)",
    .summary = "JSON timeline of Ascend NPUs: `trace_view.json` of torch_npu, and msprof's",
    .extensions = ascend_json_extensions,
    .carries = "launches, streams, modules, steps",
    .sniff = is_ascend_json,
    .read = [](Input& input, TraceBuilder& out) { AscendReader(input, out).run(); }};

}  // namespace kr::trace
