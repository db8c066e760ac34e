// `kr analyze --format json`.
#include <algorithm>
#include <array>

#include "base/json_writer.hpp"
#include "report/analysis.hpp"
#include "report/json_parts.hpp"

namespace kr {
namespace {

void write_kernels(JsonWriter& json, const std::vector<KernelStatistics>& kernels, int64_t rank) {
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
  json.key("queues").open('[');
  for (const StreamQueue& queue : launches->queues) {
    json.open('{', true);
    json.key("device").number(queue.device);
    json.key("stream").number(queue.stream);
    json.key("launches").number(queue.launches);
    json.key("operations").number(queue.operations);
    json.key("mean").number(queue.mean);
    json.key("max").number(queue.max);
    json.key("time_weighted_mean").number(queue.time_weighted_mean);
    json.close('}');
  }
  json.close(']');
  json.key("idle").open('{');
  json.key("host_bound_ns").number(launches->host_bound_ns);
  json.key("other_ns").number(launches->other_ns);
  json.close('}');
  json.close('}');
}

void write_labels(JsonWriter& json, const LabelParts& parts) {
  json.key("labels").open('{');
  for (const auto& [dimension, labels] : parts) {
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
}

/// `step` and `layer` are there for what reads phases and steps alike.
void write_phases(JsonWriter& json, const std::vector<PhasePart>& phases) {
  json.key("phases").open('[');
  for (const PhasePart& phase : phases) {
    json.open('{', true);
    json.key("phase").text(phase.phase);
    json.key("step").null();
    json.key("layer").null();
    json.key("steps").number(phase.steps);
    write_optional(json, "batch", phase.batch);
    write_optional(json, "tokens", phase.tokens);
    json.key("instances").number(phase.instances);
    json.key("total_ns").number(phase.total_ns);
    json.key("busy_ns").number(phase.busy_ns);
    write_labels(json, phase.labels);
    json.close('}');
  }
  json.close(']');
}

void write_steps(JsonWriter& json, const std::vector<StepPart>& steps) {
  json.key("steps").open('[');
  for (const StepPart& step : steps) {
    json.open('{', true);
    json.key("phase").text(step.phase);
    write_optional(json, "step", step.step);
    write_optional(json, "layer", step.layer);
    write_optional(json, "batch", step.batch);
    write_optional(json, "tokens", step.tokens);
    json.key("outer");
    step.outer ? json.number(*step.outer) : json.null();
    json.key("text").text(step.text);
    json.key("instances").number(step.instances);
    json.key("total_ns").number(step.total_ns);
    write_times(json, step.time);
    write_labels(json, step.labels);
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

/// Whether one of these is among the parts asked for.
bool wanted(const std::vector<std::string>& parts, std::initializer_list<std::string_view> names) {
  return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
    return std::find(names.begin(), names.end(), part) != names.end();
  });
}

void write_run(JsonWriter& json, const AnalyzedRun& run, const RankNumber& rank,
               const std::vector<std::string>& parts) {
  const RunStatistics& statistics = run.statistics;
  json.open('{', true);
  json.key("id").text(run.summary.id);
  json.key("source").text(run.summary.source);
  json.key("format").text(run.summary.format);
  json.key("engine").text(run.summary.engine);
  json.key("model").text(run.summary.model);
  write_rank(json, run.summary, rank);
  if (wanted(parts, {"breakdown"})) {
    json.key("breakdown").open('[');
    for (const DeviceSum& device : run.summary.devices) write_device(json, device);
    json.close(']');
  }
  if (wanted(parts, {"kernels"})) write_kernels(json, statistics.kernels, rank.rank);
  if (wanted(parts, {"activity"})) write_activity(json, statistics.activity);
  if (wanted(parts, {"launches", "queues", "idle"})) write_launches(json, statistics.launches);
  if (wanted(parts, {"attribution"})) {
    json.key("attribution").open('{');
    json.key("module_ns").number(statistics.attribution.module_ns);
    json.key("layer_ns").number(statistics.attribution.layer_ns);
    json.key("none_ns").number(statistics.attribution.none_ns);
    json.close('}');
  }
  if (wanted(parts, {"phases", "phase_labels"})) write_phases(json, statistics.steps.phases);
  if (wanted(parts, {"steps", "step_labels"})) write_steps(json, statistics.steps.steps);
  if (wanted(parts, {"layers"})) write_layers(json, statistics.layers);
  write_losses(json, run.summary.losses);
  json.close('}');
}

void write_rank_steps(JsonWriter& json, const std::vector<AnalyzedRun>& runs, const Ranks& ranks) {
  json.key("steps").open('[');
  for (const RankStep& step : ranks.steps) {
    const auto rank_of = [&](size_t part) { return ranks.runs[step.parts[part].run].number.rank; };
    json.open('{', true);
    json.key("phase").text(step.phase);
    write_optional(json, "step", step.step);
    json.key("occurrence").number(step.occurrence);
    json.key("slowest_rank").number(rank_of(step.slowest));
    json.key("waiting_rank").number(rank_of(step.waits_most));
    json.key("mean_own_ns").number(step.mean_own_ns);
    json.key("slowest_over_mean").number(step.slowest_over_mean);
    json.key("ranks").open('[');
    for (size_t i = 0; i < step.parts.size(); ++i) {
      const RankStep::Part& part = step.parts[i];
      const StepPart& of = runs[part.run].statistics.steps.steps[part.step];
      json.open('{');
      json.key("rank").number(rank_of(i));
      write_optional(json, "batch", of.batch);
      write_optional(json, "tokens", of.tokens);
      json.key("own_ns").number(part.own_ns());
      write_times(json, part.time);
      json.close('}');
    }
    json.close(']');
    json.close('}');
  }
  json.close(']');
}

void write_collectives(JsonWriter& json, const Ranks& ranks) {
  json.key("collectives").open('[');
  for (const Collective& one : ranks.collectives) {
    json.open('{', true);
    json.key("name").text(one.name);
    json.key("instances").number(one.instances);
    json.key("waiting_ns").number(one.waited_ns());
    json.key("ranks").open('[');
    for (size_t run = 0; run < ranks.runs.size(); ++run) {
      json.open('{');
      json.key("rank").number(ranks.runs[run].number.rank);
      json.key("total_ns").number(one.total_ns[run]);
      json.key("waiting_ns").number(one.waiting_ns[run]);
      json.close('}');
    }
    json.close(']');
    json.close('}');
  }
  json.close(']');
  json.key("not_matched").open('[');
  for (const std::string& name : ranks.uneven) json.text(name);
  json.close(']');
}

void write_ranks(JsonWriter& json, const std::vector<AnalyzedRun>& runs) {
  const Ranks ranks = ranks_of(runs);
  json.key("ranks").open('{');
  write_rank_balance(json, ranks);
  write_rank_steps(json, runs, ranks);
  write_collectives(json, ranks);
  json.close('}');
}

void write_ratios(JsonWriter& json, const std::vector<AnalyzedRun>& runs) {
  json.key("compare").open('[');
  for (const ActivityRatio& one : activity_ratios(runs)) {
    json.open('{', true);
    json.key("run_a").text(runs[one.run_a].summary.id);
    json.key("type_a").text(one.type_a);
    json.key("run_b").text(runs[one.run_b].summary.id);
    json.key("type_b").text(one.type_b);
    const auto number = [&](std::string_view key, const std::optional<double>& ratio) {
      json.key(key);
      ratio ? json.number(*ratio) : json.null();
    };
    number("ratio", one.all);
    json.key("longest").open('[');
    constexpr std::array<int, 3> percents{1, 5, 10};
    for (size_t i = 0; i < percents.size(); ++i) {
      json.open('{');
      json.key("percent").number(percents[i]);
      number("ratio", one.longest[i]);
      json.close('}');
    }
    json.close(']');
    json.close('}');
  }
  json.close(']');
}

}  // namespace

std::string analysis_json(const std::vector<AnalyzedRun>& runs,
                          const std::vector<std::string>& parts) {
  std::string out;
  JsonWriter json(out);
  json.open('{');
  json.key("kr").text(KR_VERSION);
  json.key("runs").open('[');
  const std::vector<RankNumber> numbers = rank_numbers(summaries_of(runs));
  for (size_t i = 0; i < runs.size(); ++i) write_run(json, runs[i], numbers[i], parts);
  json.close(']');
  if (wanted(parts, {"ranks", "balance", "rank_steps", "collectives"})) write_ranks(json, runs);
  if (wanted(parts, {"compare"})) write_ratios(json, runs);
  if (wanted(parts, {"names_only_in"})) {
    json.key("names_only_in").open('[');
    for (const NameOnlyIn& one : names_only_in(summaries_of(runs))) {
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
