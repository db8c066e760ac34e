// `kr report --format json`.
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

void write_run(JsonWriter& json, const RunSummary& run) {
  json.open('{', true);
  json.key("id").text(run.id);
  json.key("source").text(run.source);
  json.key("format").text(run.format);
  json.key("engine").text(run.engine);
  json.key("model").text(run.model);
  json.key("why").text(run.choice_why);
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

size_t estimated_bytes(const Report& report) {
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
  out.reserve(estimated_bytes(report));
  JsonWriter json(out);
  json.open('{');
  json.key("kr").text(KR_VERSION);
  if (!report.title.empty()) json.key("title").text(report.title);
  json.key("runs").open('[');
  for (const RunSummary& run : report.runs) write_run(json, run);
  json.close(']');
  json.close('}');
  out += '\n';
  return out;
}

}  // namespace kr
