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
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/integer.hpp"
#include "trace/format.hpp"
#include "trace/readers/ascend_events.hpp"
#include "trace/readers/ascend_tasks.hpp"
#include "trace/readers/event_list.hpp"
#include "trace/readers/json_pull.hpp"
#include "trace/readers/messages.hpp"

namespace kr::trace {
namespace {

constexpr std::string_view ascend_hardware = "Ascend Hardware";
constexpr std::string_view ascend_calls = "CANN";
// Repeated from others, or derived: never work of their own.
constexpr std::array<std::string_view, 4> ascend_repeated{"Python", "Communication", "HCCL",
                                                          "Overlap Analysis"};

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
      const auto threads =
          worker_threads(input_->options().threads, input_->compression() != Compression::none);
      uint64_t list_end = 0;
      read_event_list<AscendFound>(
          *input_, json_, threads, events_, list_end,
          [this]() -> std::function<void(Window&)> {
            auto parser = std::make_shared<AscendEvents>(input_->options());
            return [parser](Window& window) {
              parser->parse(window.window, window.first, window.rows);
            };
          },
          [this](const Window& window) { merge(window.rows); });
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
  using Place = AscendPlace;
  using Row = AscendRow;
  using Arrow = AscendArrow;
  using Window = EventWindow<AscendFound>;

  /// The next window: its numbers of texts become those of the file.
  void merge(const AscendFound& found) {
    events_ += found.events;
    numbers_.clear();
    for (uint32_t i = 0; i < found.texts.size(); ++i) {
      numbers_.push_back(texts_.add(found.texts.text(i)));
    }
    for (const auto& [process, name] : found.processes) processes_[numbers_[process]] = name;
    for (Row row : found.rows) {
      row.at = place(row.at);
      row.name = numbers_[row.name];
      row.type = numbers_[row.type];
      rows_.push_back(row);
    }
    bad_.insert(found.bad.begin(), found.bad.end());
    for (const auto& [from, to] : {std::pair(&found.sent, &sent_),
                                   {&found.requested, &requested_},
                                   {&found.begun, &begun_}}) {
      for (const Arrow& arrow : *from) to->push_back({arrow.id, place(arrow.at)});
    }
    for (const AscendQueued& one : found.enqueued) enqueued_[one.pair] = place(one.at);
    for (const AscendQueued& one : found.dequeued) dequeued_[place(one.at)] = one.pair;
    for (const uint64_t offset : found.untimed) {
      out_->add_dropped("call or range without a valid time", offset);
    }
    for (const AscendRange& range : found.ranges) add_range(range);
  }

  Place place(const Place& in_window) const {
    return {numbers_[in_window.process], numbers_[in_window.thread], in_window.ns};
  }

  void add_range(const AscendRange& range) {
    const std::string_view name = texts_.text(numbers_[range.name]);
    const bool op = range.kind == HostRange::Kind::op;
    if (host_ == HostDetail::range_names) {
      if (!op) out_->range_name(name);
      return;
    }
    const Place at = place(range.at);
    const uint32_t thread = host_thread(at.process, at.thread);
    if (op && input_->options().ops) {
      const uint32_t number = out_->op(name, HostOp{std::string(name), {}});
      out_->ops().calls.push_back({at.ns, range.end_ns, number, thread});
    }
    if (op && !input_->options().reference) return;
    out_->host().ranges.push_back(
        {at.ns, range.end_ns, out_->range_name(name), thread, HostRange::none, range.kind});
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

  /// The calls of CANN, and by arrow the innermost one that it begins in. A call's correlation is
  /// its place.
  void add_calls() {
    std::vector<const Row*> calls;
    for (const Row& row : rows_) {
      if (process_name(row.at.process) != ascend_calls) continue;
      if (row.has_times()) {
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
  std::vector<uint32_t> numbers_;  // of the window's texts

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
