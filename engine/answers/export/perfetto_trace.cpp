#include "export/perfetto_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyze/run.hpp"
#include "base/hash.hpp"
#include "base/integer.hpp"
#include "classify/attribution.hpp"
#include "export/lanes.hpp"
#include "export/perfetto_packets.hpp"
#include "scopes/measures.hpp"
#include "scopes/sum_by.hpp"

namespace kr::exports {
namespace {

constexpr uint32_t none = classify::Attribution::none;

/// Numbers below `keys` of things that have keys, in the order of the keys.
struct ByKey {
  std::vector<uint32_t> first;  // by key, and the end
  std::vector<uint32_t> items;

  /// `key_of` returns a number below `keys`, or one above for what has none.
  template <class KeyOf>
  ByKey(size_t keys, size_t count, const KeyOf& key_of) : first(keys + 2) {
    for (size_t i = 0; i < count; ++i) {
      if (const uint32_t key = key_of(i); key < keys) ++first[key + 2];
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
    items.resize(first.back());
    for (size_t i = 0; i < count; ++i) {
      if (const uint32_t key = key_of(i); key < keys) {
        items[first[key + 1]++] = static_cast<uint32_t>(i);
      }
    }
  }
};

class LabelledPerfetto {
 public:
  LabelledPerfetto(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                   const analyze::RunSummary& summary, std::string_view by, const ByteSink& write)
      : trace_(run.trace),
        labelled_(run.labelled),
        summary_(summary),
        labels_(rules, run.labelled),
        by_(summary.dimension(by) ? by : "kind"),
        attribution_(run.attribution(rules)),
        first_ns_(first_time(run.trace)),
        packets_(std::max(first_ns_, int64_t{0}), utc_ns(), salt(), attributes(), write) {}

  void run() {
    rows_.reserve(labelled_.rows());
    for (uint32_t row = 0; row < labelled_.rows(); ++row) add_row(row);
    for (uint32_t text = 0; text < attribution_.steps.texts(); ++text) {
      packets_.annotate(steps_.emplace_back(), "step", attribution_.steps.text(text));
    }
    begin_devices();
    if (trace_.host) host();
    operations();
    steps();
    layers();
    packets_.finish();
  }

 private:
  struct Device {
    uint64_t track = 0;
    size_t tracks = 0;  // below it
  };
  struct HostTracks {
    PerfettoTracks of_lanes;
    NestedLanes lanes;
  };
  /// What all slices of one name have in common.
  struct Row {
    std::string label, operation;
  };

  static int64_t first_time(const trace::Trace& trace) {
    std::optional<int64_t> first;
    const auto see = [&](int64_t time) { first = first ? std::min(*first, time) : time; };
    if (!trace.operations.empty()) see(trace.first_start_ns);
    if (trace.host) {
      if (!trace.host->launches.empty()) see(trace.host->launches[0].start_ns);
      for (const trace::HostRange& range : trace.host->ranges) {
        if (!trace.host->threads[range.thread].other_clock) see(range.start_ns);
      }
    }
    return first.value_or(0);
  }

  /// If times are moved, so is the clock.
  std::optional<int64_t> utc_ns() const {
    if (!trace_.clock.utc_ns || first_ns_ >= 0) return trace_.clock.utc_ns;
    return *trace_.clock.utc_ns + first_ns_;
  }

  uint64_t salt() const {
    return hash_bytes(
        fmt::format("{} {} {}", summary_.source, trace_.distributed.rank.value_or(-1), first_ns_));
  }

  std::vector<PerfettoAttribute> attributes() const {
    std::vector<PerfettoAttribute> all{{"kr.version", KR_VERSION},
                                       {"kr.source", summary_.source},
                                       {"kr.engine", std::string(summary_.engine)},
                                       {"kr.model", std::string(summary_.model)},
                                       {"kr.dimension", by_}};
    const trace::Distributed& info = trace_.distributed;
    if (info.rank) all.push_back({.key = "kr.rank", .number = info.rank});
    if (info.world_size) all.push_back({.key = "kr.world_size", .number = info.world_size});
    if (!info.backend.empty()) all.push_back({"kr.backend", info.backend});
    for (const analyze::DeviceSum& device : summary_.devices) {
      if (!device.name.empty()) {
        all.push_back({fmt::format("kr.device.{}", device.device), device.name});
      }
    }
    if (!trace_.lost_streams.empty()) all.push_back({"kr.lost_streams", trace_.lost_streams});
    return all;
  }

  /// Since the first event.
  uint64_t since(int64_t time_ns) const {
    return static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(first_ns_);
  }

  void add_row(uint32_t row) {
    const trace::OperationName& name = trace_.names.get(labelled_.names[row]);
    std::vector<std::pair<std::string, std::string>> labels;
    std::vector<std::pair<std::string, std::string>> rules;
    for (const auto& [dimension, given_by] : labels_.dimensions()) {
      const classify::LabelResult& given = given_by->by_row[row];
      labels.emplace_back(dimension, given.label);
      if (given.rule) rules.emplace_back(dimension, labels_.rule(given));
    }
    Row& made = rows_.emplace_back();
    packets_.category(made.label, "label");
    packets_.name(made.label, labels_.find(by_, row)->label);
    packets_.category(made.operation, fmt::format("gpu_operation.{}", to_string(name.kind)));
    packets_.name(made.operation, name.text);
    packets_.annotate(made.operation, "labels", labels);
    if (!rules.empty()) packets_.annotate(made.operation, "rules", rules);
  }

  std::string of_rank(std::string_view title) const {
    return trace_.distributed.rank ? fmt::format("rank {} · {}", *trace_.distributed.rank, title)
                                   : std::string(title);
  }

  void begin_devices() {
    for (const analyze::DeviceSum& sum : summary_.devices) {
      const std::string title = fmt::format("GPU {}", sum.device);
      devices_[sum.device].track =
          packets_.track({.name = of_rank(sum.name.empty() ? title : title + " · " + sum.name)});
    }
    std::vector<uint32_t> order(trace_.tracks.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](uint32_t at) { return trace_.tracks[at].stream; });
    for (const uint32_t at : order) {
      const trace::Track& track = trace_.tracks[at];
      streams_.emplace_back(at, tracks_of(track.device, fmt::format("stream {}", track.stream)));
    }
  }

  PerfettoTracks tracks_of(int32_t number, std::string title) {
    Device& device = devices_[number];
    return {packets_, {.parent = device.track, .name = std::move(title), .rank = device.tracks++}};
  }

  static std::optional<int32_t> id_of(std::string_view text) {
    const auto number = integer_from<int32_t>(text);
    return number && *number > 0 ? number : std::nullopt;
  }

  void host() {
    const trace::HostTrace& host = *trace_.host;
    operations_of_ = std::make_unique<ByKey>(host.launches.size(), trace_.operations.size(),
                                             [&](size_t i) { return host.launch_of[i]; });
    const ByKey launches(host.threads.size(), host.launches.size(),
                         [&](size_t i) { return host.launches[i].thread; });
    std::map<std::string_view, std::pair<uint64_t, size_t>> processes;
    calls_.reserve(host.calls.size());
    for (const trace::HostCall& call : host.calls) {
      std::string& text = calls_.emplace_back();
      packets_.category(text, call.driver ? "cuda_driver" : "cuda_runtime");
      packets_.name(text, call.name);
    }
    ranges_.resize(host.range_names.size());
    for (uint32_t number = 0; number < host.threads.size(); ++number) {
      const trace::HostThread& thread = host.threads[number];
      if (thread.other_clock) continue;  // its data are annotations of operations
      auto [known, added] = processes.try_emplace(thread.process);
      auto& [process, threads] = known->second;
      const auto pid = id_of(thread.process);
      if (added) process = process_track(thread.process, pid);
      PerfettoTrack track{.parent = process, .rank = threads++};
      const auto tid = thread.whole_process ? std::nullopt : id_of(thread.thread);
      track.name = thread.whole_process          ? "(whole process)"
                   : integer_from(thread.thread) ? fmt::format("thread {}", thread.thread)
                                                 : thread.thread;
      if (pid && tid) {
        track.process = pid;
        track.thread = tid;
      }
      HostTracks tracks{{packets_, std::move(track)}, {}};
      packets_.section(tracks.of_lanes[0]);
      host_thread(number, launches, tracks);
      tracks.lanes.finish([&](int64_t end_ns) { packets_.end(tracks.of_lanes[0], since(end_ns)); });
    }
  }

  uint64_t process_track(std::string_view process, std::optional<int32_t> pid) {
    const bool number = integer_from(process).has_value();
    if (!pid)
      return packets_.track(
          {.name = number ? fmt::format("process {}", process) : std::string(process)});
    return packets_.track({.name = trace_.distributed.rank
                                       ? fmt::format("rank {}", *trace_.distributed.rank)
                                       : fmt::format("host {}", process),
                           .process = pid});
  }

  /// In the order of start, the enclosing ones first.
  void host_thread(uint32_t thread, const ByKey& launches, HostTracks& tracks) {
    const trace::HostTrace& host = *trace_.host;
    uint32_t range = host.ranges_of(thread).first;
    const uint32_t last_range = host.ranges_of(thread).second;
    uint32_t launch = launches.first[thread];
    const uint32_t last_launch = launches.first[thread + 1];
    const auto call_is_next = [&] {
      if (launch == last_launch) return false;
      if (range == last_range) return true;
      const trace::Launch& call = host.launches[launches.items[launch]];
      const trace::HostRange& other = host.ranges[range];
      return call.start_ns < other.start_ns ||
             (call.start_ns == other.start_ns && call.end_ns() > other.end_ns);
    };
    while (range < last_range || launch < last_launch) {
      if (call_is_next()) {
        host_call(launches.items[launch++], tracks);
      } else {
        host_range(host.ranges[range++], tracks);
      }
    }
  }

  void host_slice(HostTracks& tracks, int64_t start_ns, int64_t end_ns, std::string_view head,
                  std::string_view more = {}) {
    const uint64_t first = tracks.of_lanes[0];
    const size_t lane = tracks.lanes.take(
        start_ns, end_ns, [&](int64_t ended_ns) { packets_.end(first, since(ended_ns)); });
    packets_.begin(tracks.of_lanes[lane], since(start_ns), head, more);
    if (lane > 0) packets_.end(tracks.of_lanes[lane], since(end_ns));
  }

  void host_range(const trace::HostRange& range, HostTracks& tracks) {
    const bool module = range.kind == trace::HostRange::Kind::module;
    std::string& text = ranges_[range.name][module ? 0 : 1];
    if (text.empty()) {
      packets_.category(text, module ? "python_function" : "user_annotation");
      packets_.name(text, (module ? "nn.Module: " : "") + trace_.host->range_names[range.name]);
      const std::vector<trace::RangeText>& texts = trace_.host->range_texts;
      const trace::RangeText said = texts.empty() ? trace::RangeText() : texts[range.name];
      if (!said.domain.empty()) packets_.annotate(text, "kr.domain", said.domain);
      if (!said.text.empty()) packets_.annotate(text, "kr.text", said.text);
    }
    more_.clear();
    using Form = trace::HostRange::Form;
    if (range.form == Form::push_pop) packets_.annotate(more_, "kr.form", "push_pop");
    if (range.form == Form::start_end) packets_.annotate(more_, "kr.form", "start_end");
    host_slice(tracks, range.start_ns, range.end_ns, text, more_);
  }

  void host_call(uint32_t number, HostTracks& tracks) {
    const trace::Launch& launch = trace_.host->launches[number];
    more_.clear();
    if (launch.correlation != trace::Launch::no_correlation) {
      packets_.annotate(more_, "correlation", launch.correlation);
    }
    for (uint32_t at = operations_of_->first[number]; at < operations_of_->first[number + 1];
         ++at) {
      packets_.arrow_begins(more_, operations_of_->items[at]);
    }
    host_slice(tracks, launch.start_ns, launch.end_ns(), calls_[launch.call], more_);
  }

  void operations() {
    const ByKey of_track(trace_.tracks.size(), trace_.operations.size(),
                         [&](size_t i) { return trace_.operations[i].track.index; });
    for (auto& [number, tracks] : streams_) {
      const trace::Track& stream = trace_.tracks[number];
      std::string place;
      packets_.annotate(place, "device", int64_t{stream.device});
      packets_.annotate(place, "stream", stream.stream);
      packets_.section(tracks[0]);
      Lanes lanes;
      for (uint32_t at = of_track.first[number]; at < of_track.first[number + 1]; ++at) {
        more_ = place;
        operation(of_track.items[at], tracks, lanes);
      }
    }
  }

  void operation(uint32_t i, PerfettoTracks& tracks, Lanes& lanes) {
    const trace::Operation& operation = trace_.operations[i];
    const Row& row = rows_[labelled_.row(i, operation)];
    const uint64_t start = since(operation.start_ns);
    const uint64_t end = since(operation.end_ns());
    const uint64_t track = tracks[lanes.take(operation.start_ns, operation.end_ns())];
    belongs(i);
    packets_.begin(track, start, row.label);
    packets_.begin(track, start, row.operation, more_);
    packets_.end(track, end);
    packets_.end(track, end);
  }

  void belongs(size_t i) {
    const trace::HostTrace* host = trace_.host.get();
    if (const trace::Launch* launch = host != nullptr ? host->launch(i) : nullptr) {
      packets_.annotate(more_, "correlation", launch->correlation);
      packets_.arrow_ends(more_, i);
    }
    if (const uint32_t step = attribution_.step_of[i]; step != none) {
      more_ += steps_[attribution_.steps.text_number(step)];
    }
    if (const uint32_t layer = attribution_.layer_of[i]; layer != none) {
      packets_.annotate(more_, "layer", static_cast<int64_t>(attribution_.in_unit(layer)));
    }
    if (const uint32_t module = attribution_.module_of[i]; module != none) {
      packets_.annotate(more_, "module",
                        std::string_view(host->range_names[host->ranges[module].name]));
    }
    if (host != nullptr) place(*host, i);
  }

  /// What no range of the host shows: where the node of a graph was created, by a reference or by
  /// what the trace says of it.
  void place(const trace::HostTrace& host, size_t i) {
    const trace::NodeCreation* const creation = host.creation(i);
    if (creation == nullptr || !host.threads[creation->thread].other_clock) return;
    const auto [known, added] = places_.try_emplace(host.creation_of[i]);
    if (added) {
      using Kind = trace::HostRange::Kind;
      for (const auto& [kind, key] :
           {std::pair(Kind::module, "module_path"), std::pair(Kind::annotation, "annotations")}) {
        std::vector<std::string_view> list;
        for (const uint32_t range : host.ranges_at(creation->thread, creation->time_ns, kind)) {
          list.emplace_back(host.range_names[host.ranges[range].name]);
        }
        if (!list.empty()) packets_.annotate(known->second, key, list);
      }
    }
    more_ += known->second;
  }

  void steps() {
    spans(scopes::by_innermost_step(trace_, attribution_), "steps", [&](uint32_t at) {
      const classify::TraceStep& step = attribution_.steps[at];
      std::string text;
      packets_.category(text, "step");
      packets_.name(text, step.phase.step ? fmt::format("{} {}", step.phase.label, *step.phase.step)
                                          : std::string(step.phase.label));
      packets_.annotate(text, "annotation", step.text);
      return text;
    });
  }

  /// Those found in the sequence of kernels.
  void layers() {
    spans(scopes::by_layer(trace_, attribution_), "layers", [&](uint32_t at) {
      std::string text;
      packets_.category(text, "layer");
      packets_.name(text, fmt::format("layer {}", attribution_.in_unit(at)));
      return text;
    });
  }

  /// Slices from the first operation of a step or layer to its last, on each device.
  template <class Head>
  void spans(const scopes::Scope& scope, const char* title, Head head) {
    struct Span {
      int32_t device;
      scopes::Extent extent;
      uint32_t what;
    };
    std::vector<Span> order;
    const scopes::Scope devices = scopes::by_device(trace_);
    const auto add = [&](scopes::Extent& extent, size_t i) { extent.add(trace_.operations[i]); };
    scopes::sum_by<scopes::Extent>(devices, scope, add)
        .each([&](uint32_t device, uint32_t what, const scopes::Extent& extent) {
          order.push_back({static_cast<int32_t>(devices.number(device)), extent, what});
        });
    std::ranges::stable_sort(
        order, {}, [](const Span& span) { return std::pair(span.device, span.extent.start_ns); });
    for (size_t at = 0; at < order.size();) {
      const int32_t device = order[at].device;
      PerfettoTracks tracks = tracks_of(device, title);
      packets_.section(tracks[0]);
      Lanes lanes;
      for (; at < order.size() && order[at].device == device; ++at) {
        const scopes::Extent& extent = order[at].extent;
        const uint64_t track = tracks[lanes.take(extent.start_ns, extent.end_ns)];
        packets_.begin(track, since(extent.start_ns), head(order[at].what));
        packets_.end(track, since(extent.end_ns));
      }
    }
  }

  const trace::Trace& trace_;
  const classify::Labelled& labelled_;
  const analyze::RunSummary& summary_;
  analyze::TraceLabels labels_;
  std::string by_;
  const classify::Attribution& attribution_;
  int64_t first_ns_;
  PerfettoPackets packets_;
  std::vector<Row> rows_;           // by row of labels
  std::vector<std::string> steps_;  // by text of a step: what its operations say of it
  std::map<int32_t, Device> devices_;
  std::vector<std::pair<uint32_t, PerfettoTracks>> streams_;  // and the tracks of the trace
  std::unique_ptr<ByKey> operations_of_;                      // by launch
  std::vector<std::string> calls_;
  std::vector<std::array<std::string, 2>> ranges_;    // by name: of a module, of an annotation
  std::unordered_map<uint32_t, std::string> places_;  // by creation
  std::string more_;                                  // of one slice
};

}  // namespace

void write_perfetto_trace(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                          const analyze::RunSummary& summary, std::string_view by,
                          const ByteSink& write) {
  LabelledPerfetto(rules, run, summary, by, write).run();
}

}  // namespace kr::exports
