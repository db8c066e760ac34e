// `kr report --format json`.
#include <algorithm>

#include "base/json_writer.hpp"
#include "report/json_parts.hpp"
#include "report/report.hpp"

namespace kr {
namespace {

void write_labels(JsonWriter& json, const DimensionSum& dimension) {
  json.key(dimension.dimension).open('[');
  for (const LabelSum& sum : dimension.labels) {
    json.open('{', true);
    json.key("label").text(sum.label);
    json.key("elapsed_ns").number(sum.elapsed_ns);
    json.key("total_ns").number(sum.total_ns);
    json.key("instances").number(sum.instances);
    json.close('}');
  }
  json.close(']');
}

void write_dimensions(JsonWriter& json, const RunSummary& run) {
  json.key("labels").open('{');
  for (const char* fixed : {"substage", "stage"}) {
    const auto at = run.dimension(fixed);
    write_labels(json, at ? run.dimensions[*at] : DimensionSum{fixed, {}});
  }
  for (const DimensionSum& dimension : run.dimensions) {
    if (dimension.dimension == "substage" || dimension.dimension == "stage") continue;
    write_labels(json, dimension);
  }
  json.close('}');
}

void write_name(JsonWriter& json, const RunSummary& run, const NameSum& name) {
  json.open('{', true);
  json.key("name").text(name.name);
  json.key("operation").text(to_string(name.kind));
  json.key("labels").open('{');
  for (size_t i = 0; i < run.dimensions.size(); ++i) {
    json.key(run.dimensions[i].dimension).text(name.labels[i].label);
  }
  json.close('}');
  json.key("instances").number(name.instances);
  json.key("elapsed_ns").number(name.elapsed_ns);
  json.key("total_ns").number(name.total_ns);
  json.key("min_ns").number(name.min_ns);
  json.key("max_ns").number(name.max_ns);
  json.close('}');
}

void write_notes(JsonWriter& json, const RunSummary& run) {
  write_losses(json, run.losses);
  if (!run.inexact.empty()) json.key("inexact").text(run.inexact);
  json.key("warnings").open('[');
  for (const std::string& warning : run.warnings) json.text(warning);
  json.close(']');
}

void write_run(JsonWriter& json, const RunSummary& run, const RankNumber& rank) {
  json.open('{', true);
  json.key("id").text(run.id);
  json.key("source").text(run.source);
  json.key("format").text(run.format);
  json.key("engine").text(run.engine);
  json.key("model").text(run.model);
  json.key("why").text(run.choice_why);
  write_rank(json, run, rank);
  json.key("gpu_elapsed_ns").number(run.gpu_elapsed_ns);
  json.key("gpu_total_ns").number(run.gpu_total_ns);
  json.key("elapsed_ns").number(run.elapsed_ns);
  json.key("elapsed_from").text(run.elapsed_from == ElapsedFrom::user ? "user" : "span");
  json.key("non_gpu_ns").number(run.non_gpu_ns);
  json.key("operations").number(run.operations);
  json.key("names").number(run.names.size());
  write_notes(json, run);
  write_dimensions(json, run);
  json.key("devices").open('[');
  for (const DeviceSum& device : run.devices) write_device(json, device);
  json.close(']');
  json.key("kernels").open('[');
  for (const NameSum& name : run.names) write_name(json, run, name);
  json.close(']');
  json.close('}');
}

void write_ranks(JsonWriter& json, const Report& report,
                 const std::vector<const RunSummary*>& runs) {
  const Ranks ranks = compare_ranks(runs);
  if (runs.size() < 2 && ranks.devices.size() < 2) return;
  json.key("ranks").open('{');
  write_rank_balance(json, ranks);
  json.key("labels").open('{');
  std::vector<std::string_view> dimensions;
  for (const RunSummary& run : report.runs) {
    for (const DimensionSum& one : run.dimensions) {
      if (std::find(dimensions.begin(), dimensions.end(), one.dimension) == dimensions.end()) {
        dimensions.push_back(one.dimension);
      }
    }
  }
  if (!ranks.why_not.empty() || runs.size() < 2) dimensions.clear();
  for (const std::string_view dimension : dimensions) {
    json.key(dimension).open('[');
    for (const LabelBalance& label : balance_labels(runs, dimension)) {
      json.open('{', true);
      json.key("label").text(label.label);
      json.key("elapsed_ns").number(label.sum_ns);
      json.key("mean_ns").number(label.mean_ns);
      json.key("max_ns").number(label.max_ns);
      json.key("max_over_mean").number(label.max_over_mean);
      json.key("max_rank").number(ranks.runs[label.most].number.rank);
      json.close('}');
    }
    json.close(']');
  }
  json.close('}');
  json.close('}');
}

size_t estimated_json_bytes(const Report& report) {
  size_t bytes = 4096;
  for (const RunSummary& run : report.runs) {
    for (const NameSum& name : run.names) {
      bytes += name.name.size() + 160 + 40 * run.dimensions.size();
    }
  }
  return bytes;
}

}  // namespace

std::string to_json(const Report& report) {
  std::string out;
  out.reserve(estimated_json_bytes(report));
  JsonWriter json(out);
  json.open('{');
  json.key("kr").text(KR_VERSION);
  if (!report.title.empty()) json.key("title").text(report.title);
  json.key("runs").open('[');
  std::vector<const RunSummary*> runs;
  runs.reserve(report.runs.size());
  for (const RunSummary& run : report.runs) runs.push_back(&run);
  const std::vector<RankNumber> numbers = rank_numbers(runs);
  for (size_t i = 0; i < report.runs.size(); ++i) write_run(json, report.runs[i], numbers[i]);
  json.close(']');
  write_ranks(json, report, runs);
  json.close('}');
  out += '\n';
  return out;
}

}  // namespace kr
