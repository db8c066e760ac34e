// Chrome traces of Proton, Triton's profiler (`.chrome_trace`): kernels with times and with the
// call stack in which Proton saw them, and scopes.
//
//     {"displayTimeUnit":"us","traceEvents":[
//       {"args":{"call_stack":["ROOT","step_1","replay","<captured_at>","model","layers","0","gemm"]},
//        "cat":"kernel","dur":9.12,"name":"gemm","ph":"X","pid":0,"tid":200007,"ts":70.0}, …]}
//
// By third_party/proton/csrc/lib/Data/TraceData.cpp of Triton (2026). Early in 2026 it was one such
// object a line for each stream, whose `tid` was the stream, without `pid`. Since then the `tid` of
// a kernel is 200000 + stream + 1000000 × device, that of a scope on a stream 100000 + stream, and
// that of a scope of the host its thread. Times count from the first event. Events of the category
// `flow` lead from the launch of a graph to its first kernel alone, and are not read.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/distinct_texts.hpp"
#include "trace/format.hpp"
#include "trace/operation_places.hpp"
#include "trace/readers/json_pull.hpp"
#include "trace/readers/messages.hpp"
#include "trace/readers/proton_tree.hpp"
#include "trace/time_fault.hpp"

namespace kr::trace {
namespace {

constexpr int64_t first_stream_scope = 100'000;
constexpr int64_t first_stream = 200'000;
constexpr int64_t of_a_device = 1'000'000;

/// The strings of a call stack, each behind its length, so that different stacks differ.
class CallStack {
 public:
  void clear() noexcept { bytes_.clear(); }
  void add(std::string_view name) {
    const auto size = static_cast<uint32_t>(name.size());
    bytes_.append(reinterpret_cast<const char*>(&size), sizeof size).append(name);
  }
  const std::string& bytes() const noexcept { return bytes_; }
  /// Without the root. Views into `bytes`.
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> names;
    for (size_t at = 0; at < bytes_.size();) {
      uint32_t size = 0;
      std::memcpy(&size, bytes_.data() + at, sizeof size);
      at += sizeof size;
      names.push_back(std::string_view(bytes_).substr(at, size));
      at += size;
    }
    if (!names.empty() && names[0] == proton_root) names.erase(names.begin());
    return names;
  }

 private:
  std::string bytes_;
};

class ProtonTraceReader {
 public:
  ProtonTraceReader(Input& input, TraceBuilder& out)
      : input_(&input),
        out_(&out),
        host_(input.options().host),
        values_(input, input.options().block_size),
        places_(out) {
    if (host_ == HostDetail::all) out.host();
    out.times_from_zero();
  }

  void run() {
    try {
      do {
        object();
      } while (!values_.at_end());
      if (input_->truncated()) {
        out_->warn("truncated",
                   fmt::format("The file is cut off: its text ends at byte {}.", input_->offset()));
      }
    } catch (const JsonCut& cut) {
      if (!input_->options().allow_truncated) throw;
      out_->warn("truncated",
                 fmt::format("The file is cut off at byte {}: its {} complete events were read.",
                             cut.place().offset.value_or(0), events_));
    }
    if (host_ == HostDetail::all) places_.finish();
    say_what_is_left_out();
  }

 private:
  enum class Category : uint8_t { other, kernel, scope };
  struct Event {
    uint64_t offset = 0;
    Category category = Category::other;
    bool whole = false;  // it has a begin and an end
    bool has_process = false;
    bool has_name = false;
    bool has_stack = false;
    int64_t start_ns = 0;
    int64_t duration_ns = 0;
    DecimalFault start = DecimalFault::missing;
    DecimalFault duration = DecimalFault::missing;
    std::optional<int64_t> thread;
  };
  /// What follows from a call stack.
  struct Place {
    bool own = false;  // of Proton
    uint32_t creation = HostRange::none;
  };

  void object() {
    values_.expect(JsonKind::object);
    values_.enter();
    bool found = false;
    while (values_.next()) {
      if (values_.key() != "traceEvents") {
        values_.pass();
        continue;
      }
      if (std::exchange(found, true)) throw values_.error("occurs twice");
      values_.expect(JsonKind::array);
      values_.enter();
      while (values_.next()) {
        event();
        ++events_;
      }
    }
  }

  void event() {
    values_.expect(JsonKind::object);
    event_ = {};
    event_.offset = values_.offset();
    stack_.clear();
    values_.enter();
    while (values_.next()) member(values_.key());
    if (!event_.whole) return;
    if (event_.category == Category::kernel) kernel();
    if (event_.category == Category::scope) scope();
  }

  void member(std::string_view key) {
    if (key == "ph") {
      event_.whole = text() == "X";
    } else if (key == "cat") {
      const std::string_view category = text();
      event_.category = category == "kernel"  ? Category::kernel
                        : category == "scope" ? Category::scope
                                              : Category::other;
    } else if (key == "name") {
      event_.has_name = values_.value() == JsonKind::string;
      if (event_.has_name) {
        name_ = values_.string();
      } else {
        values_.skip();
      }
    } else if (key == "ts") {
      event_.start = time(event_.start_ns);
    } else if (key == "dur") {
      event_.duration = time(event_.duration_ns);
    } else if (key == "tid") {
      event_.thread = whole_number();
    } else if (key == "pid") {
      event_.has_process = true;
      values_.pass();
    } else if (key == "args") {
      args();
    } else {
      values_.pass();
    }
  }

  void args() {
    if (values_.value() != JsonKind::object) return values_.skip();
    values_.enter();
    while (values_.next()) {
      const bool is_stack = values_.key() == "call_stack";
      if (values_.value() != JsonKind::array || !is_stack) {
        values_.skip();
        continue;
      }
      stack_.clear();
      event_.has_stack = true;
      values_.enter();
      while (values_.next()) {
        values_.expect(JsonKind::string);
        stack_.add(values_.string());
      }
    }
  }

  // The text the cursor comes to; empty where it is none.
  std::string_view text() {
    if (values_.value() == JsonKind::string) return values_.string();
    values_.skip();
    return {};
  }

  std::optional<int64_t> whole_number() {
    int64_t value = 0;
    if (values_.value() != JsonKind::number) {
      values_.skip();
      return std::nullopt;
    }
    if (read_json_number(values_.number(), 0, value) != DecimalFault::none) return std::nullopt;
    return value;
  }

  DecimalFault time(int64_t& ns) {
    constexpr int exponent = 3;  // microseconds
    if (values_.value() == JsonKind::null) {
      values_.skip();
      return DecimalFault::missing;
    }
    values_.expect(JsonKind::number);
    const std::string_view number = values_.number();
    if (number.back() == 'N' || number.back() == 'y') {
      throw values_.error(fmt::format("is {}, which is not a time", number));
    }
    return read_json_number(number, exponent, ns);
  }

  void kernel() {
    Operation operation{event_.start_ns, event_.duration_ns, {}, {}};
    set_times(operation);
    const Place place = event_.has_stack ? place_of_stack() : Place{};
    if (place.own || is_proton_own(name_if_any())) {
      ++own_kernels_;
      if (operation.duration_ns > 0) add_own(operation.duration_ns);
      return;
    }
    if (!event_.has_name) out_->add_dropped("operation without a name", event_.offset);
    const std::string_view name = event_.has_name ? std::string_view(name_) : "(unnamed operation)";
    operation.name = out_->name(name, operation_kind_of(name));
    operation.track = track();
    if (place.creation != HostRange::none) out_->created(out_->operations(), place.creation);
    out_->add(operation);
    if (host_ == HostDetail::all) {
      constexpr int64_t none = Launch::no_correlation;
      out_->add_correlations(&none, 1);
    }
  }

  // A time that cannot be right is marked; with `strict` it is an error.
  void set_times(Operation& operation) const {
    constexpr int64_t max = std::numeric_limits<int64_t>::max();
    DecimalFault duration = event_.duration;
    if (duration == DecimalFault::none && event_.start == DecimalFault::none &&
        event_.start_ns > max - event_.duration_ns) {
      duration = DecimalFault::too_large;
    }
    const auto start_fault = time_fault_of(event_.start);
    const auto fault = time_fault_of(duration);
    if (input_->options().strict && (start_fault || fault)) {
      throw Error(input_->shown(), Error::Place{.line = {}, .offset = event_.offset},
                  fmt::format("kernel `{}`: its `{}` is missing, negative or too large",
                              shown_text(name_if_any()), start_fault ? "ts" : "dur"),
                  JsonPull::usual_remedy());
    }
    if (fault) operation.duration_ns = no_duration(*fault);
    if (start_fault) operation = {no_start(*start_fault), 0, {}, {}};
  }

  void add_own(int64_t ns) {
    if (__builtin_add_overflow(own_ns_, ns, &own_ns_)) {
      own_ns_ = std::numeric_limits<int64_t>::max();
    }
  }

  std::string_view name_if_any() const {
    return event_.has_name ? std::string_view(name_) : std::string_view();
  }

  TrackId track() {
    Track track;
    if (!event_.thread) {
      out_->add_dropped("operation without a stream number: assigned to stream 0", event_.offset);
      out_->made_up_streams();
      return out_->track(track);
    }
    track.stream = *event_.thread;
    if (!event_.has_process || track.stream < first_stream) return out_->track(track);
    const int64_t device = (track.stream - first_stream) / of_a_device;
    track.stream = (track.stream - first_stream) % of_a_device;
    if (device > std::numeric_limits<int32_t>::max()) {
      out_->add_dropped("operation without a device number: assigned to device 0", event_.offset);
      return out_->track(track);
    }
    track.device = static_cast<int32_t>(device);
    return out_->track(track);
  }

  Place place_of_stack() {
    const uint32_t number = stacks_.add(stack_.bytes());
    if (number < place_of_.size()) return place_of_[number];
    std::vector<std::string_view> names = stack_.names();
    Place place;
    for (const std::string_view name : names) place.own = place.own || is_proton_own(name);
    if (!names.empty()) names.pop_back();  // the kernel
    if (!place.own) place.creation = place_of(names);
    place_of_.push_back(place);
    return place;
  }

  // What stands above the last `<captured_at>` says which replay it is.
  uint32_t place_of(const std::vector<std::string_view>& names) {
    size_t first_module = 0;
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == proton_captured_at) first_module = i + 1;
    }
    std::vector<OperationPlaces::Level> levels;
    for (size_t i = 0; i < names.size(); ++i) {
      const bool module = i >= first_module;
      if (!module && names[i] == proton_captured_at) continue;
      levels.push_back({module ? HostRange::Kind::module : HostRange::Kind::annotation, names[i]});
      if (host_ == HostDetail::range_names) out_->range_name(names[i]);
    }
    if (host_ != HostDetail::all || levels.empty()) return HostRange::none;
    return places_.add(levels);
  }

  void scope() {
    const bool on_host = event_.thread && *event_.thread < first_stream_scope;
    if (host_ == HostDetail::none || !on_host || !event_.has_name) return;
    if (host_ == HostDetail::range_names) {
      out_->range_name(name_);
      return;
    }
    if (event_.start != DecimalFault::none || event_.duration != DecimalFault::none ||
        event_.start_ns > std::numeric_limits<int64_t>::max() - event_.duration_ns) {
      out_->add_dropped("call or range without a valid time", event_.offset);
      return;
    }
    const uint32_t thread = out_->thread({"proton", fmt::format("{}", *event_.thread)});
    out_->host().ranges.push_back({event_.start_ns, event_.start_ns + event_.duration_ns,
                                   out_->range_name(name_), thread, HostRange::none,
                                   HostRange::Kind::annotation});
  }

  void say_what_is_left_out() const {
    if (own_kernels_ != 0) {
      out_->warn(
          "profiler-kernels",
          fmt::format("{} {} of Proton itself (`__proton_launch_metadata`, `<metric>`), {} "
                      "ns in all, {} left out: {} no work of the program.",
                      own_kernels_, own_kernels_ == 1 ? "kernel" : "kernels", own_ns_,
                      own_kernels_ == 1 ? "is" : "are", own_kernels_ == 1 ? "it is" : "they are"));
    }
    if (out_->operations() == 0) {
      out_->warn("no-gpu-work",
                 fmt::format("The trace contains no GPU work: none of its {} events is a kernel "
                             "of the program.",
                             events_));
    }
  }

  Input* input_;
  TraceBuilder* out_;
  HostDetail host_;
  JsonPull values_;
  OperationPlaces places_;
  Event event_;
  std::string name_;
  CallStack stack_;
  DistinctTexts stacks_;
  std::vector<Place> place_of_;  // by number of a stack
  uint64_t events_ = 0;
  uint64_t own_kernels_ = 0;
  int64_t own_ns_ = 0;
};

/// What events show before the head ends.
class ProtonTraceSniffer {
 public:
  explicit ProtonTraceSniffer(std::string_view head)
      : input_(head, "", options_), values_(input_, Input::head_size) {}

  bool sniff() {
    try {
      if (values_.value() != JsonKind::object) return false;
      values_.enter();
      while (values_.next() && !certain_) member();
      // An object without events, in a unit that Chrome's format does not have.
      return certain_ || (microseconds_ && events_ == 0);
    } catch (const std::exception&) {
      return certain_;  // the head ends here, or it is not JSON
    }
  }

 private:
  void member() {
    const bool is_unit = values_.key() == "displayTimeUnit";
    const bool is_events = values_.key() == "traceEvents";
    const JsonKind kind = values_.value();
    if (is_unit && kind == JsonKind::string) {
      microseconds_ = values_.string() == "us";
    } else if (is_events && kind == JsonKind::array) {
      values_.enter();
      while (!certain_ && values_.next()) {
        ++events_;
        event();
      }
    } else {
      values_.skip();
    }
  }

  void event() {
    if (values_.value() != JsonKind::object) return values_.skip();
    values_.enter();
    while (values_.next()) {
      const bool is_args = values_.key() == "args";
      if (values_.value() != JsonKind::object || !is_args) {
        values_.skip();
        continue;
      }
      values_.enter();
      while (values_.next()) argument();
    }
  }

  // A call stack begins with ROOT; before the first of them, streams and threads have names.
  void argument() {
    const bool is_stack = values_.key() == "call_stack";
    const bool is_name = values_.key() == "name";
    const JsonKind kind = values_.value();
    if (is_stack && kind == JsonKind::array) {
      values_.enter();
      for (bool first = true; values_.next(); first = false) {
        if (values_.value() != JsonKind::string) {
          values_.skip();
          continue;
        }
        const std::string_view name = values_.string();
        certain_ = certain_ || (first && name == proton_root);
      }
    } else if (is_name && kind == JsonKind::string) {
      const std::string_view name = values_.string();
      certain_ = certain_ || (microseconds_ && (name.starts_with("GPU Stream ") ||
                                                name.starts_with("Graph: Stream ") ||
                                                name.starts_with("CPU Thread ")));
    } else {
      values_.skip();
    }
  }

  OpenOptions options_;
  Input input_;
  JsonPull values_;
  bool microseconds_ = false;
  bool certain_ = false;
  size_t events_ = 0;
};

bool is_proton_trace(std::string_view head) noexcept {
  if (first_bytes(head).first != '{') return false;
  try {
    return ProtonTraceSniffer(head).sniff();
  } catch (const std::exception&) {
    return false;
  }
}

constexpr std::array<std::string_view, 1> trace_extensions{".chrome_trace"};

}  // namespace

const TraceFormat proton_trace_format{
    .name = "proton-trace",
    .kind = "its Chrome traces (.chrome_trace)",
    .summary = "Chrome traces of Proton: kernels in the modules of their call stacks",
    .extensions = trace_extensions,
    .carries = "streams, modules",
    .sniff = is_proton_trace,
    .read = [](Input& input, TraceBuilder& out) { ProtonTraceReader(input, out).run(); }};

}  // namespace kr::trace
