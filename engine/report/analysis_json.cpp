// `kr analyze --format json`.
#include <algorithm>

#include "base/json_writer.hpp"
#include "report/analysis.hpp"
#include "report/json_parts.hpp"

namespace kr {
namespace {

void write_kernels(JsonWriter& json, const std::vector<KernelStatistics>& kernels, size_t rank) {
  json.key("kernels").open('[');
  for (const KernelStatistics& kernel : kernels) {
    json.open('{', true);
    json.key("name").text(kernel.name);
    json.key("kind").text(kernel.kind);
    json.key("rank").number(rank);
    json.key("device").number(kernel.device);
    json.key("instances").number(kernel.instances);
    json.key("total_ns").number(kernel.total_ns);
    json.key("min_ns").number(kernel.min_ns);
    json.key("max_ns").number(kernel.max_ns);
    json.key("mean_ns").number(kernel.mean_ns);
    json.key("stddev_ns").number(kernel.stddev_ns);
    json.key("share").number(kernel.share);
    json.close('}');
  }
  json.close(']');
}

void write_activity(JsonWriter& json, const std::vector<ActivityStatistics>& activity) {
  json.key("activity").open('[');
  for (const ActivityStatistics& type : activity) {
    json.open('{', true);
    json.key("type").text(type.type);
    json.key("instances").number(type.instances);
    json.key("total_ns").number(type.total_ns);
    json.key("min_ns").number(type.min_ns);
    json.key("max_ns").number(type.max_ns);
    json.key("longest").open('[');
    for (const Longest& longest : type.longest) {
      json.open('{');
      json.key("percent").number(longest.percent);
      json.key("instances").number(longest.instances);
      json.key("share").number(longest.share);
      json.key("mean_ns").number(longest.mean_ns);
      json.close('}');
    }
    json.close(']');
    json.close('}');
  }
  json.close(']');
}

void write_launches(JsonWriter& json, const std::optional<LaunchStatistics>& launches) {
  json.key("launches");
  if (!launches) return json.null();
  json.open('{');
  json.key("linked").number(launches->linked);
  json.key("orphans").number(launches->orphans);
  json.key("by_api").open('[');
  for (const LaunchCalls& calls : launches->by_api) {
    json.open('{', true);
    json.key("api").text(calls.api);
    json.key("instances").number(calls.instances);
    json.key("operations").number(calls.operations);
    json.key("total_ns").number(calls.total_ns);
    json.key("delay_mean_ns").number(calls.delay_mean_ns);
    json.key("short_kernels").number(calls.short_kernels);
    json.key("running_at_next_launch").number(calls.running_at_next_launch);
    json.close('}');
  }
  json.close(']');
  json.key("idle").open('{');
  json.key("host_bound_ns").number(launches->host_bound_ns);
  json.key("other_ns").number(launches->other_ns);
  json.close('}');
  json.close('}');
}

void write_parts(JsonWriter& json, std::string_view key, const std::vector<PhasePart>& parts) {
  json.key(key).open('[');
  for (const PhasePart& part : parts) {
    json.open('{', true);
    json.key("phase").text(part.phase);
    write_optional(json, "step", part.step);
    write_optional(json, "layer", part.layer);
    if (!part.text.empty()) json.key("text").text(part.text);
    json.key("instances").number(part.instances);
    json.key("total_ns").number(part.total_ns);
    json.key("labels").open('{');
    for (const auto& [dimension, labels] : part.labels) {
      json.key(dimension).open('[');
      for (const LabelPart& label : labels) {
        json.open('{');
        json.key("label").text(label.label);
        json.key("instances").number(label.instances);
        json.key("total_ns").number(label.total_ns);
        json.close('}');
      }
      json.close(']');
    }
    json.close('}');
    json.close('}');
  }
  json.close(']');
}

void write_layers(JsonWriter& json, const std::vector<LayerPart>& layers) {
  json.key("layers").open('[');
  for (const LayerPart& one : layers) {
    json.open('{', true);
    json.key("period").number(one.run.period);
    json.key("repeats").number(one.run.repeats);
    json.key("level").number(one.run.level);
    json.key("device").number(one.device);
    json.key("first").number(one.run.first);
    json.key("kernels").number(one.run.unit);
    json.key("total_ns").number(one.run.total_ns);
    json.key("per_layer_mean_ns").number(one.per_layer_mean_ns);
    json.key("evidence").text(one.evidence);
    json.close('}');
  }
  json.close(']');
}

void write_run(JsonWriter& json, const AnalyzedRun& run, size_t rank,
               const std::vector<std::string>& parts) {
  const auto wanted = [&](std::string_view part) {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
  };
  const RunStatistics& statistics = run.statistics;
  json.open('{', true);
  json.key("id").text(run.summary.id);
  json.key("source").text(run.summary.source);
  json.key("format").text(run.summary.format);
  json.key("engine").text(run.summary.engine);
  json.key("model").text(run.summary.model);
  if (wanted("breakdown")) {
    json.key("breakdown").open('[');
    for (const DeviceSum& device : run.summary.devices) write_device(json, device);
    json.close(']');
  }
  if (wanted("kernels")) write_kernels(json, statistics.kernels, rank);
  if (wanted("activity")) write_activity(json, statistics.activity);
  if (wanted("launches") || wanted("idle")) write_launches(json, statistics.launches);
  if (wanted("attribution")) {
    json.key("attribution").open('{');
    json.key("module_ns").number(statistics.attribution.module_ns);
    json.key("layer_ns").number(statistics.attribution.layer_ns);
    json.key("none_ns").number(statistics.attribution.none_ns);
    json.close('}');
  }
  if (wanted("phases")) write_parts(json, "phases", statistics.phases);
  if (wanted("steps")) write_parts(json, "steps", statistics.steps);
  if (wanted("layers")) write_layers(json, statistics.layers);
  write_losses(json, run.summary.losses);
  json.close('}');
}

}  // namespace

std::string analysis_json(const std::vector<AnalyzedRun>& runs,
                          const std::vector<std::string>& parts) {
  std::string out;
  JsonWriter json(out);
  json.open('{');
  json.key("kr").text(KR_VERSION);
  json.key("runs").open('[');
  for (size_t i = 0; i < runs.size(); ++i) write_run(json, runs[i], i, parts);
  json.close(']');
  if (std::find(parts.begin(), parts.end(), "names_only_in") != parts.end()) {
    std::vector<RunSummary> summaries;
    summaries.reserve(runs.size());
    for (const AnalyzedRun& run : runs) summaries.push_back(run.summary);
    json.key("names_only_in").open('[');
    for (const NameOnlyIn& one : names_only_in(summaries)) {
      json.open('{', true);
      json.key("run").text(runs[one.run].summary.id);
      json.key("name").text(one.name);
      json.key("instances").number(one.instances);
      json.key("total_ns").number(one.total_ns);
      json.close('}');
    }
    json.close(']');
  }
  json.close('}');
  out += '\n';
  return out;
}

}  // namespace kr
