// JAX's `*.trace.json.gz`: the planes of an XSpace (see xplane.cpp) as Chrome events without `cat`.
//
//     {"displayTimeUnit": "ns", "metadata": {"highres-ticks": true}, "traceEvents": [
//       {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "/device:GPU:0"}},
//       {"ph": "M", "name": "thread_name", "pid": 1, "tid": 16, "args": {"name": "Stream
//       #16(Kernel)"}},
//       {"ph": "X", "pid": 1, "tid": 16, "ts": 5.25, "dur": 2.5, "name": "fusion",
//        "args": {"correlation_id": "41", "hlo_module": "jit_f"}}, {}]}
//
// They become planes again, which are then read as those of a file. A process is a plane, a thread
// a line; values of `args` are texts. Times are microseconds from the start of the profile, which
// is not in the file.
#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/decimal.hpp"
#include "base/distinct_texts.hpp"
#include "base/integer.hpp"
#include "base/wire_writer.hpp"
#include "trace/format.hpp"
#include "trace/readers/json_pull.hpp"
#include "trace/readers/xplane_planes.hpp"
#include "trace/readers/xplane_tables.hpp"

namespace kr::trace {
namespace {

/// Numbers of texts that stats refer to, behind those of the stats themselves.
constexpr int64_t first_text = 1 + int64_t{xstat_count};

class PlaneWriter {
 public:
  void name(std::string_view name) { name_ = name; }
  void line_name(int64_t line, std::string_view name) { lines_[line].name = name; }

  struct Event {
    int64_t line = 0;
    std::string_view name;
    int64_t start_ps = 0;
    int64_t duration_ps = 0;
  };
  void add(const Event& event, const std::array<std::string, xstat_count>& stats) {
    message_.clear();
    append_number(message_, 1, names_.add(event.name));
    append_number(message_, 2, event.start_ps);
    append_number(message_, 3, event.duration_ps);
    for (size_t i = 0; i < xstat_count; ++i) {
      if (stats[i].empty()) continue;
      stat_.clear();
      append_number(stat_, 1, static_cast<int64_t>(i + 1));
      if (const auto number = integer_from(stats[i]); number && i < xstat_numbers) {
        append_number(stat_, 4, *number);
      } else {
        append_number(stat_, 7, first_text + texts_.add(stats[i]));
      }
      append_bytes(message_, 4, stat_);
    }
    append_bytes(lines_[event.line].events, 4, message_);
  }

  std::string message() {
    std::string out;
    append_bytes(out, 2, name_);
    for (size_t i = 0; i < names_.size(); ++i) {
      append_named(out, 4, static_cast<int64_t>(i), names_.text(static_cast<uint32_t>(i)));
    }
    for (size_t i = 0; i < xstat_count; ++i) {
      append_named(out, 5, static_cast<int64_t>(i + 1), xstat_name(static_cast<XStat>(i)));
    }
    for (size_t i = 0; i < texts_.size(); ++i) {
      append_named(out, 5, first_text + static_cast<int64_t>(i),
                   texts_.text(static_cast<uint32_t>(i)));
    }
    for (auto& [id, line] : lines_) {
      message_.clear();
      append_number(message_, 1, id);
      append_bytes(message_, 2, line.name);
      message_ += line.events;
      line.events = {};
      append_bytes(out, 3, message_);
    }
    return out;
  }

 private:
  void append_named(std::string& to, uint32_t field, int64_t id, std::string_view name) {
    stat_.clear();
    append_bytes(stat_, 2, name);
    message_.clear();
    append_number(message_, 1, id);
    append_bytes(message_, 2, stat_);
    append_bytes(to, field, message_);
  }

  struct Line {
    std::string name;
    std::string events;
  };
  std::string name_, message_, stat_;
  std::map<int64_t, Line> lines_;
  DistinctTexts names_, texts_;
};

class XlaJsonReader {
 public:
  XlaJsonReader(Input& input, TraceBuilder& out)
      : input_(&input), out_(&out), json_(input, input.options().block_size) {}

  void run() {
    try {
      whole();
      if (input_->truncated()) warn_truncated(input_->offset());
    } catch (const JsonCut& cut) {
      if (!input_->options().allow_truncated) throw;
      warn_truncated(cut.place().offset.value_or(0));
    }
    if (events_ >= max_events) {
      out_->warn("truncated", fmt::format("The file has {} events, and JAX writes no more of a "
                                          "profile: read the .xplane.pb beside it.",
                                          events_));
    }
    XPlanes planes(input_->options(), *out_);
    for (auto& [id, plane] : planes_) planes.read(plane.message(), 0);
    planes.finish();
  }

 private:
  static constexpr uint64_t max_events = 1'000'000;

  void warn_truncated(uint64_t offset) {
    out_->warn("truncated",
               fmt::format("{} is cut off: its text ends at byte {}.", input_->shown(), offset));
  }

  void whole() {
    json_.expect(JsonKind::object);
    json_.enter();
    while (json_.next()) {
      if (json_.key() != "traceEvents") {
        json_.pass();
        continue;
      }
      json_.expect(JsonKind::array);
      json_.enter();
      while (json_.next()) {
        json_.expect(JsonKind::object);
        event();
      }
    }
    json_.end();
  }

  void event() {
    phase_.clear();
    name_.clear();
    own_name_.clear();
    for (std::string& stat : stats_) stat.clear();
    int64_t process = 0;
    PlaneWriter::Event event;
    // What has no time that can be read is marked: a negative duration is a fault.
    bool timed = true;
    bool start = false;
    event.duration_ps = -1;
    const uint64_t offset = json_.offset();
    json_.enter();
    while (json_.next()) {
      const std::string_view key = json_.key();
      if (key == "ph")
        take(phase_);
      else if (key == "name")
        take(name_);
      else if (key == "pid")
        process = integer();
      else if (key == "tid")
        event.line = integer();
      else if (key == "ts")
        timed = time(event.start_ps) && (start = true) && timed;
      else if (key == "dur")
        timed = time(event.duration_ps) && timed;
      else if (key == "args")
        arguments();
      else
        json_.pass();
    }
    if (phase_ == "M") {
      if (name_ == "process_name") planes_[process].name(own_name_);
      if (name_ == "thread_name") planes_[process].line_name(event.line, own_name_);
    } else if (phase_ == "X") {
      ++events_;
      if (!timed || !start) event.duration_ps = -1;
      event.name = name_;
      planes_[process].add(event, stats_);
    } else if (!phase_.empty()) {
      out_->add_dropped("event of a phase other than X", offset);
    }
  }

  void arguments() {
    json_.expect(JsonKind::object);
    json_.enter();
    while (json_.next()) {
      const std::optional<XStat> stat = xstat_named(json_.key());
      const bool own = json_.key() == "name";
      take(own ? own_name_ : stat ? stats_[static_cast<size_t>(*stat)] : passed_);
      if (own) stats_[static_cast<size_t>(XStat::name)] = own_name_;
    }
  }

  /// A text, or a number as a text; of anything else nothing.
  void take(std::string& to) {
    switch (json_.value()) {
      case JsonKind::string:
        to = json_.string();
        break;
      case JsonKind::number:
        to = json_.number();
        break;
      default:
        json_.skip();
    }
  }
  int64_t integer() {
    take(passed_);
    return integer_from(passed_).value_or(0);
  }
  /// Microseconds.
  bool time(int64_t& ps) {
    if (json_.value() != JsonKind::number) {
      json_.skip();
      return false;
    }
    return read_json_number(json_.number(), 6, ps) == DecimalFault::none;
  }

  Input* input_;
  TraceBuilder* out_;
  JsonPull json_;
  std::map<int64_t, PlaneWriter> planes_;
  uint64_t events_ = 0;

  // Of the event being read.
  std::string phase_, name_, own_name_, passed_;
  std::array<std::string, xstat_count> stats_;
};

/// Processes are named like planes, and events have no category.
bool is_xla_json(std::string_view head) noexcept {
  const auto has = [&](std::string_view text) { return head.find(text) != head.npos; };
  return first_bytes(head).first == '{' && has("\"traceEvents\"") && has("\"process_name\"") &&
         (has("\"/device:") || has("\"/host:")) && !has("\"cat\"");
}

constexpr std::array<std::string_view, 1> xla_json_extensions{".trace.json"};

}  // namespace

const TraceFormat xla_json_format{
    .name = "xla-json",
    .kind = "traces of JAX (.trace.json)",
    .summary = "Chrome trace of XLA's profiler (JAX, TensorFlow): GPUs and TPUs",
    .extensions = xla_json_extensions,
    .carries = "launches, streams, modules, steps, shapes",
    .sniff = is_xla_json,
    .read = [](Input& input, TraceBuilder& out) { XlaJsonReader(input, out).run(); }};

}  // namespace kr::trace
