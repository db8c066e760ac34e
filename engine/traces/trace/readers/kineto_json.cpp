// The JSON of PyTorch's profiler (Kineto), which is Chrome's trace format, of any size.
//
//     {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}],
//      "traceEvents": [
//        {"ph": "X", "cat": "kernel", "name": "…", "pid": 0, "tid": 7, "ts": 1021.345,
//        "dur": 12.064,
//         "args": {"device": 0, "stream": 7, "correlation": 42}},
//        …],
//      "baseTimeNanoseconds": 1711964646000000000}
//
// or directly a list of such events. Members may be in any order. This thread reads (and
// inflates) and cuts the list between its events, others read these, and this one merges what they
// found in the order of the file. What is around the list is read here.
// Start times stay as they are written, from the epoch or from `baseTimeNanoseconds`. In a merged
// trace of several ranks a `pid` is `[TP00-DP01] OLD`, of operations too.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/integer.hpp"
#include "trace/format.hpp"
#include "trace/readers/event_list.hpp"
#include "trace/readers/json_pull.hpp"
#include "trace/readers/kineto_cut.hpp"
#include "trace/readers/kineto_events.hpp"
#include "trace/readers/messages.hpp"

namespace kr::trace {
namespace {

using KinetoWindow = EventWindow<EventRows>;

class KinetoReader {
 public:
  KinetoReader(Input& input, TraceBuilder& out)
      : input_(&input),
        out_(&out),
        json_(input, std::min(input.options().block_size, JsonPull::usual_block)),
        threads_(
            worker_threads(input.options().threads, input.compression() != Compression::none)) {
    if (input.options().host == HostDetail::all) out.host();
    if (input.options().operation_details) out.details();
    read_annotations();
  }

  void run() {
    try {
      whole();
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
    out_->clock({base_ns_});
    for (auto& [member, places] : places_) places.finish();
    if (annotated_nodes_ && !marked_lanes_ && !inline_annotated_) {
      out_->lost_streams(
          "the trace was annotated after it was written, which puts kernels of CUDA graphs on "
          "lanes "
          "of a display in place of their streams");
    }
    name_devices();
    samples_.finish(*out_);
    if (out_->operations() == 0) note_no_operations();
  }

 private:
  /// Of the trace's own path, or of OpenOptions::annotations.
  void read_annotations() {
    const std::string& given = input_->options().annotations;
    std::error_code error;
    const bool is_file = !given.empty() && !std::filesystem::is_directory(given, error);
    const bool from_disk = input_->path() != "-";
    const std::string path = is_file     ? given
                             : from_disk ? find_annotations(input_->path(), given)
                                         : std::string();
    if (path.empty() && !given.empty()) {
      throw Error(given, "contains no annotations of this trace",
                  "PyTorch names them kernel_annotations_rank0_….json, by rank");
    }
    if (path.empty()) return;
    annotations_.emplace(path);
    if (!is_file) {
      out_->warn("annotations",
                 fmt::format("The nodes of CUDA graphs are annotated by {}.", shown_path(path)),
                 "info");
    }
  }

  /// Of ROCm, operations may number devices in another way than the properties do, which list all
  /// that the process can use. If all of these have one name, every device has it.
  void name_devices() {
    std::set<std::string_view> names;
    for (const auto& [id, name] : devices_) names.insert(name);
    for (Track& track : out_->tracks()) {
      const auto named = devices_.find(track.device);
      if (named != devices_.end()) {
        track.device_name = named->second;
      } else if (names.size() == 1) {
        track.device_name = *names.begin();
      }
    }
  }
  /// No GPU work may be said only of a file whose events are all known to be something else.
  void note_no_operations() {
    if (!found_layout_.unknown && found_layout_.uncategorized == 0) {
      out_->warn(
          "no-gpu-work",
          fmt::format(
              "The trace contains no GPU work: none of its {} events is a kernel, copy or set.",
              events_));
      return;
    }
    std::string found;
    const auto add = [&](std::string_view what, const std::vector<std::string>& names) {
      if (names.empty()) return;
      found += fmt::format("; {}: ", what);
      for (size_t i = 0; i < names.size(); ++i) {
        found += (i == 0 ? "" : ", ") + shown_text(names[i]);
      }
      if (names.size() == FoundLayout::max_names) found += ", …";
    };
    add("categories", found_layout_.categories);
    add("processes", found_layout_.processes);
    if (found_layout_.uncategorized > 0) {
      found += fmt::format("; events without a category: {}", found_layout_.uncategorized);
    }
    out_->warn("unknown-layout",
               fmt::format("No operation was found in the {} events, but this is not a layout that "
                           "kr knows: GPU work has the category `kernel`, `gpu_memcpy` or "
                           "`gpu_memset`. The file has{}.",
                           events_, found.substr(1)));
  }

  [[noreturn]] void no_trace(std::string why) const {
    throw Error(input_->shown(), fmt::format("is JSON, but not a trace: {}", why),
                "what PyTorch's profiler exports is an object with `traceEvents`, or a list of "
                "events");
  }

  void whole() {
    const JsonKind kind = json_.value();
    if (kind == JsonKind::array) {
      events();
      if (events_ != 0 && !phases_) no_trace("no element of its list has a `ph`, as events have");
      json_.end();
      return;
    }
    if (kind != JsonKind::object) no_trace(fmt::format("it is {}", to_string(kind)));
    json_.enter();
    while (json_.next()) member();
    json_.end();
    if (!found_) no_trace("it has no `traceEvents`");
  }

  void member() {
    if (json_.key() == "traceEvents") {
      if (found_) throw json_.error("occurs twice");
      found_ = true;
      json_.expect(JsonKind::array);
      events();
      return;
    }
    const bool devices = json_.key() == "deviceProperties";
    const bool distributed = json_.key() == "distributedInfo";
    const bool base = json_.key() == "baseTimeNanoseconds";
    const bool annotated = json_.key() == "cudaGraphInlineAnnotated";
    const JsonKind kind = json_.value();
    if (base && kind == JsonKind::number) return base_time(whole_number<int64_t>().value_or(0));
    if (distributed && kind == JsonKind::object) return distributed_info();
    if (annotated && kind == JsonKind::boolean) inline_annotated_ = true;
    if (!devices || kind != JsonKind::array) {
      json_.skip();
      return;
    }
    json_.enter();
    while (json_.next()) {
      if (json_.value() == JsonKind::object) {
        device();
      } else {
        json_.skip();
      }
    }
  }

  /// What is beyond 2043 is not a time, and sums with it might not fit.
  void base_time(int64_t ns) {
    constexpr int64_t most = int64_t{1} << 61;
    if (ns >= 0 && ns <= most) base_ns_ = ns;
  }

  /// The number the cursor is on, where it is a whole one.
  template <class Number>
  std::optional<Number> whole_number() {
    return integer_from<Number>(json_.number());
  }

  void distributed_info() {
    Distributed& info = out_->distributed();
    json_.enter();
    while (json_.next()) {
      const bool is_rank = json_.key() == "rank";
      const bool is_size = json_.key() == "world_size";
      const bool is_backend = json_.key() == "backend";
      const JsonKind kind = json_.value();
      if ((is_rank || is_size) && kind == JsonKind::number) {
        const auto value = whole_number<int64_t>();
        if (is_rank && value && *value >= 0) info.rank = value;
        if (is_size && value && *value > 0) info.world_size = value;
      } else if (is_backend && kind == JsonKind::string) {
        info.backend = json_.string();
      } else {
        json_.skip();
      }
    }
  }

  void device() {
    std::optional<int32_t> id;
    std::string name;
    json_.enter();
    while (json_.next()) {
      const bool is_id = json_.key() == "id";
      const bool is_name = json_.key() == "name";
      const JsonKind kind = json_.value();
      if (is_id && kind == JsonKind::number) {
        if (const auto value = whole_number<int32_t>()) id = value;
      } else if (is_name && kind == JsonKind::string) {
        name = json_.string();
      } else {
        json_.skip();
      }
    }
    if (id) devices_[*id] = std::move(name);
  }

  // The list the cursor is on.
  void events() {
    json_.enter();
    levels_ = json_.depth();
    SourcePlaces* const places = input_->options().places;
    if (places != nullptr) {
      *places = {json_.rest_offset(), 0, levels_, {}};
    }
    uint64_t end = 0;
    read_event_list<EventRows>(
        *input_, json_, threads_, events_, places != nullptr ? places->end : end,
        [&]() -> std::function<void(KinetoWindow&)> {
          auto parser = std::make_shared<EventParser>(input_->options(), levels_);
          if (annotations_) parser->annotations(&*annotations_);
          return [parser](KinetoWindow& window) {
            parser->parse(window.window, window.first, window.rows);
          };
        },
        [&](const KinetoWindow& window) { merge(window); });
  }

  void merge(const KinetoWindow& job) {
    if (job.rows.fault) {
      const EventRows::Fault& fault = *job.rows.fault;
      throw Error(input_->shown(), Error::Place{.line = {}, .offset = fault.offset},
                  fmt::format("{}[{}], {}", levels_ == 1 ? "" : "traceEvents",
                              events_ + job.rows.events, fault.why),
                  JsonPull::usual_remedy());
    }
    if (SourcePlaces* const places = input_->options().places) {
      places->pieces.push_back({job.window.offset, job.window.text().size(), job.rows.begin_ns,
                                job.rows.end_ns, job.rows.any_time});
    }
    const size_t before = out_->operations();
    add_block(job.rows, *out_);
    add_places(job.rows, before);
    samples_.add(job.rows.samples);
    if (!job.rows.cut_steps.empty()) {
      std::vector<int64_t>& cut = out_->host().cut_steps;
      cut.insert(cut.end(), job.rows.cut_steps.begin(), job.rows.cut_steps.end());
      std::ranges::sort(cut);
    }
    if (out_->operations() == 0) found_layout_.add(job.rows.found);
    events_ += job.rows.events;
    phases_ = phases_ || job.rows.phases;
  }

  void add_places(const EventRows& rows, size_t before) {
    annotated_nodes_ = annotated_nodes_ || rows.annotated_nodes;
    marked_lanes_ = marked_lanes_ || rows.marked_lanes;
    if (input_->options().host != HostDetail::all) return;
    for (const EventRows::NewPlace& place : rows.new_places) {
      const std::string process =
          place.member.empty() ? "annotations" : '[' + place.member + "] annotations";
      OperationPlaces& places = places_.try_emplace(place.member, *out_, process).first->second;
      rows.place_ids->push_back(places.add(place.annotation.levels(texts_)));
    }
    for (const EventRows::Placed& one : rows.places) {
      out_->created(before + one.operation, (*rows.place_ids)[one.place]);
    }
  }

  Input* input_;
  TraceBuilder* out_;
  JsonPull json_;
  unsigned threads_;
  size_t levels_ = 0;    // open around the events
  uint64_t events_ = 0;  // read so far
  bool found_ = false;   // `traceEvents`
  bool phases_ = false;  // some event has one
  int64_t base_ns_ = 0;
  FoundLayout found_layout_;
  std::optional<NodeAnnotations> annotations_;     // beside the trace
  std::map<std::string, OperationPlaces> places_;  // by member
  std::vector<std::string> texts_;
  // As in EventRows; and what the file says at its head.
  bool annotated_nodes_ = false;
  bool marked_lanes_ = false;
  bool inline_annotated_ = false;
  KinetoSampleSums samples_;
  std::map<int32_t, std::string> devices_;
};

constexpr std::array<std::string_view, 2> kineto_json_extensions{".pt.trace.json", ".json"};

// A JSON object, or a list of objects.
bool may_be_kineto_json(std::string_view head) noexcept {
  const auto [first, after] = first_bytes(head);
  if (first == '{') return after == '"' || after == '}';
  return first == '[' && (after == '{' || after == ']');
}

}  // namespace

const TraceFormat kineto_json_format{
    .name = "kineto-json",
    .kind = "PyTorch profiler JSON",
    .summary = "JSON of PyTorch's profiler (Kineto), and Chrome traces like it",
    .extensions = kineto_json_extensions,
    .carries =
        "launches, streams, modules, steps, shapes, costs, collectives, memory, metrics, call "
        "sites",
    .sniff = may_be_kineto_json,
    .read = [](Input& input, TraceBuilder& out) { KinetoReader(input, out).run(); },
    .cut = cut_kineto};

}  // namespace kr::trace
