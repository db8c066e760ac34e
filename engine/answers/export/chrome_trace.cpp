#include "export/chrome_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "analyze/run.hpp"
#include "base/integer.hpp"
#include "base/json_writer.hpp"
#include "classify/attribution.hpp"
#include "export/chrome_events.hpp"
#include "picture/label_styles.hpp"
#include "scopes/measures.hpp"
#include "scopes/sum_by.hpp"

namespace kr::exports {
namespace {

constexpr uint32_t none = classify::Attribution::none;

struct Device {
  int64_t process = 0;
  ChromeNumbers threads;
  size_t tracks = 0;
};

class ChromeTrace {
 public:
  ChromeTrace(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
              const analyze::RunSummary& summary, std::string_view by, const ByteSink& write)
      : trace_(run.trace),
        labelled_(run.labelled),
        summary_(summary),
        labels_(rules, run.labelled),
        by_(summary.dimension(by) ? by : "kind"),
        attribution_(run.attribution(rules)),
        base_ns_(first_time(run.trace)),
        events_(base_ns_, write) {
    rows_.reserve(run.labelled.rows());
    for (uint32_t row = 0; row < run.labelled.rows(); ++row) add_row(rules, run, row);
  }

  void run() {
    head();
    begin_devices();
    if (trace_.host) host();
    operations();
    steps();
    layers();
    events_.finish("\n]}\n");
  }

 private:
  /// What all events of one name have in common.
  struct NameText {
    std::string label;   // an event, up to its place
    std::string event;   // likewise
    std::string labels;  // members of its `args`
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

  void add_row(const match::CompiledRules& rules, const analyze::LabelledTrace& run, uint32_t row) {
    const trace::OperationName& name = trace_.names.get(run.labelled.names[row]);
    const std::string_view label = labels_.find(by_, row)->label;
    const std::string shown = chrome_text(label);
    const std::string_view color =
        chrome_color(picture::label_style(rules.program(), run.labelled.model, by_, label).color);
    NameText text;
    text.label = fmt::format(R"({{"ph":"X","name":{},"cat":"label","cname":"{}")", shown, color);
    text.event = fmt::format(R"({{"ph":"X","name":{},"cat":{},"cname":"{}")",
                             chrome_text(name.text), shown, color);
    text.labels = fmt::format(R"("gpu_operation":"{}","labels":)", to_string(name.kind));
    std::string rules_text;
    JsonWriter labels(text.labels);
    JsonWriter by_rule(rules_text);
    labels.open('{');
    by_rule.open('{');
    for (const auto& [dimension, given_by] : labels_.dimensions()) {
      const classify::LabelResult& given = given_by->by_row[row];
      labels.key(dimension).text(utf8_text(given.label));
      if (given.rule) by_rule.key(dimension).text(utf8_text(labels_.rule(given)));
    }
    labels.close('}');
    by_rule.close('}');
    text.labels += ",\"rules\":" + rules_text;
    rows_.push_back(std::move(text));
  }

  void head() {
    JsonWriter json(events_.text());
    json.open('{');
    json.key("displayTimeUnit").text("ns");
    json.key("otherData").open('{');
    json.key("kr").text(KR_VERSION);
    json.key("source").text(utf8_text(summary_.source));
    json.key("engine").text(summary_.engine);
    json.key("model").text(utf8_text(summary_.model));
    json.key("dimension").text(by_);
    json.close('}');
    json.key("baseTimeNanoseconds").number(base_ns_);
    json.key("deviceProperties").open('[');
    for (const analyze::DeviceSum& device : summary_.devices) {
      json.open('{');
      json.key("id").number(device.device);
      json.key("name").text(utf8_text(device.name));
      json.close('}');
    }
    json.close(']');
    distributed(json);
    json.key("traceEvents").open('[');
  }

  /// As PyTorch's profiler writes it.
  void distributed(JsonWriter& json) const {
    const trace::Distributed& info = trace_.distributed;
    if (info == trace::Distributed{}) return;
    json.key("distributedInfo").open('{');
    if (!info.backend.empty()) json.key("backend").text(utf8_text(info.backend));
    if (info.rank) json.key("rank").number(*info.rank);
    if (info.world_size) json.key("world_size").number(*info.world_size);
    json.close('}');
  }

  void begin_devices() {
    for (const analyze::DeviceSum& sum : summary_.devices) {
      Device& device = devices_[sum.device];
      device.process = processes_.take(sum.device);
      events_.name_process(device.process,
                           sum.name.empty() ? fmt::format("GPU {}", sum.device)
                                            : fmt::format("GPU {} · {}", sum.device, sum.name),
                           devices_.size());
    }
    std::vector<uint32_t> order(trace_.tracks.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return trace_.tracks[a].stream < trace_.tracks[b].stream;
    });
    streams_.resize(order.size());
    for (const uint32_t track : order) {
      const int64_t stream = trace_.tracks[track].stream;
      streams_[track] =
          tracks_of(trace_.tracks[track].device, fmt::format("stream {}", stream), stream);
    }
  }

  std::unique_ptr<ChromeTracks> tracks_of(int32_t number, std::string title,
                                          std::optional<int64_t> wanted) {
    Device& device = devices_[number];
    return std::make_unique<ChromeTracks>(events_, device.process, device.threads, std::move(title),
                                          wanted, device.tracks++);
  }

  void host() {
    const trace::HostTrace& host = *trace_.host;
    std::map<std::string_view, std::pair<int64_t, ChromeNumbers>> processes;
    threads_.reserve(host.threads.size());
    for (const trace::HostThread& thread : host.threads) {
      if (thread.other_clock) {
        threads_.emplace_back();  // of another clock: its data are in `args` of operations
        continue;
      }
      auto [known, added] = processes.try_emplace(thread.process);
      auto& [process, threads] = known->second;
      if (added) {
        process = processes_.take(integer_from(thread.process));
        events_.name_process(process, fmt::format("host {}", thread.process),
                             devices_.size() + processes.size());
      }
      threads_.push_back({process, threads.take(integer_from(thread.thread))});
      events_.name_thread(threads_.back(), fmt::format("thread {}", thread.thread),
                          threads_.size());
    }
    // Enclosing slices first: slices that begin together nest in the order of the file.
    for (const trace::HostRange& range : host.ranges) {
      if (host.threads[range.thread].other_clock) continue;
      const bool module = range.kind == trace::HostRange::Kind::module;
      events_.begin(R"({"ph":"X","name":)");
      events_.add(chrome_text((module ? "nn.Module: " : "") + host.range_names[range.name]));
      events_.add(module ? R"(,"cat":"python_function")" : R"(,"cat":"user_annotation")");
      events_.interval(threads_[range.thread], range.start_ns, range.end_ns);
      events_.end();
    }
    for (const trace::Launch& launch : host.launches) {
      const trace::HostCall& call = host.calls[launch.call];
      events_.begin(R"({"ph":"X","name":)");
      events_.add(chrome_text(call.name));
      events_.add(call.driver ? R"(,"cat":"cuda_driver")" : R"(,"cat":"cuda_runtime")");
      events_.interval(threads_[launch.thread], launch.start_ns, launch.end_ns());
      if (launch.correlation != trace::Launch::no_correlation) {
        events_.add(fmt::format(R"(,"args":{{"correlation":{}}})", launch.correlation));
      }
      events_.end();
    }
  }

  void operations() {
    for (size_t i = 0; i < trace_.operations.size(); ++i) {
      const trace::Operation& operation = trace_.operations[i];
      const NameText& name = rows_[labelled_.row(i, operation)];
      const ChromePlace place =
          streams_[operation.track.index]->lane(operation.start_ns, operation.end_ns());
      events_.begin(name.label);
      events_.interval(place, operation.start_ns, operation.end_ns());
      events_.end();
      events_.begin(name.event);
      events_.interval(place, operation.start_ns, operation.end_ns());
      events_.add(fmt::format(R"(,"args":{{{})", name.labels));
      belongs(i);
      events_.add("}}");
      arrow(i, place);
    }
  }

  void belongs(size_t i) {
    const trace::Track& track = trace_.track(trace_.operations[i].track);
    events_.add(fmt::format(R"(,"device":{},"stream":{})", track.device, track.stream));
    const trace::HostTrace* host = trace_.host.get();
    if (const trace::Launch* launch = host != nullptr ? host->launch(i) : nullptr) {
      events_.add(fmt::format(R"(,"correlation":{})", launch->correlation));
    }
    if (const uint32_t step = attribution_.step_of[i]; step != none) {
      events_.add(",\"step\":" + chrome_text(attribution_.steps[step].text));
    }
    if (const uint32_t layer = attribution_.layer_of[i]; layer != none) {
      events_.add(fmt::format(R"(,"layer":{})", attribution_.in_unit(layer)));
    }
    if (const uint32_t module = attribution_.module_of[i]; module != none) {
      events_.add(",\"module\":" + chrome_text(host->range_names[host->ranges[module].name]));
    }
    if (host != nullptr) place(*host, i);
  }

  /// What no range of the host shows: where the node of a graph was created, by a reference or by
  /// what the trace says of it.
  void place(const trace::HostTrace& host, size_t i) {
    const trace::NodeCreation* const creation = host.creation(i);
    if (creation == nullptr || !host.threads[creation->thread].other_clock) return;
    using Kind = trace::HostRange::Kind;
    for (const auto& [kind, key] :
         {std::pair(Kind::module, "module_path"), std::pair(Kind::annotation, "annotations")}) {
      std::string list;
      for (const uint32_t range : host.ranges_at(creation->thread, creation->time_ns, kind)) {
        list += (list.empty() ? "" : ",") + chrome_text(host.range_names[host.ranges[range].name]);
      }
      if (!list.empty()) events_.add(fmt::format(R"(,"{}":[{}])", key, list));
    }
  }

  /// From the call that launched an operation; each arrow has a number of its own.
  void arrow(size_t i, ChromePlace place) {
    const trace::Launch* launch = trace_.host ? trace_.host->launch(i) : nullptr;
    if (launch == nullptr) return;
    events_.begin(fmt::format(R"({{"ph":"s","id":{},"name":"launch","cat":"launch")", i + 1));
    events_.time(threads_[launch->thread], launch->start_ns);
    events_.end();
    events_.begin(
        fmt::format(R"({{"ph":"f","bp":"e","id":{},"name":"launch","cat":"launch")", i + 1));
    events_.time(place, trace_.operations[i].start_ns);
    events_.end();
  }

  void steps() {
    spans(scopes::by_innermost_step(trace_, attribution_), "steps", [&](uint32_t at) {
      const classify::TraceStep& step = attribution_.steps[at];
      const std::string name = step.phase.step
                                   ? fmt::format("{} {}", step.phase.label, *step.phase.step)
                                   : std::string(step.phase.label);
      return fmt::format(R"({{"ph":"X","name":{},"cat":"step","args":{{"annotation":{}}})",
                         chrome_text(name), chrome_text(step.text));
    });
  }

  /// Those found in the sequence of kernels.
  void layers() {
    spans(scopes::by_layer(trace_, attribution_), "layers", [&](uint32_t at) {
      return fmt::format(R"({{"ph":"X","name":"layer {}","cat":"layer")", attribution_.in_unit(at));
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
    std::stable_sort(order.begin(), order.end(), [](const Span& a, const Span& b) {
      return a.extent.start_ns < b.extent.start_ns;
    });
    std::map<int32_t, std::unique_ptr<ChromeTracks>> tracks;
    for (const Span& span : order) {
      auto known = tracks.find(span.device);
      if (known == tracks.end()) {
        known = tracks.emplace(span.device, tracks_of(span.device, title, std::nullopt)).first;
      }
      const ChromePlace place = known->second->lane(span.extent.start_ns, span.extent.end_ns);
      events_.begin(head(span.what));
      events_.interval(place, span.extent.start_ns, span.extent.end_ns);
      events_.end();
    }
  }

  const trace::Trace& trace_;
  const classify::Labelled& labelled_;
  const analyze::RunSummary& summary_;
  analyze::TraceLabels labels_;
  std::string by_;
  const classify::Attribution& attribution_;
  int64_t base_ns_;
  ChromeEvents events_;
  std::vector<NameText> rows_;  // by row of labels
  ChromeNumbers processes_;
  std::map<int32_t, Device> devices_;
  std::vector<std::unique_ptr<ChromeTracks>> streams_;  // by track
  std::vector<ChromePlace> threads_;                    // of the host
};

}  // namespace

void write_chrome_trace(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                        const analyze::RunSummary& summary, std::string_view by,
                        const ByteSink& write) {
  ChromeTrace(rules, run, summary, by, write).run();
}

}  // namespace kr::exports
