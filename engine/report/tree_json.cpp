// `kr tree --format json`.
#include "base/json_writer.hpp"
#include "modules/names.hpp"
#include "modules/trends.hpp"
#include "report/tree.hpp"

namespace kr {
namespace {

void optional_number(JsonWriter& json, std::string_view key, std::optional<int64_t> number) {
  json.key(key);
  if (number) {
    json.number(*number);
  } else {
    json.null();
  }
}

void append_context(JsonWriter& json, const ModuleTrace& trace) {
  json.key("context").open('{');
  for (const ContextEntry& entry : trace.context) json.key(entry.key).text(entry.value);
  json.close('}');
}

void append_losses(JsonWriter& json, const ModuleTrace& trace) {
  json.key("losses").open('[');
  for (const Loss& loss : trace.losses) {
    json.open('{');
    json.key("what").text(loss.what);
    json.key("count").number(loss.count);
    json.key("first_offset").number(loss.first_offset);
    json.close('}');
  }
  json.close(']');
}

void append_node(JsonWriter& json, const TreeView& view, size_t step, const ViewRow& row,
                 std::optional<Metric> metric) {
  const ViewEntry& entry = view.entries()[row.entry];
  json.open('{', true);
  json.key("path");
  if (row.path.valid()) {
    json.text(path_text(view.trace(), row.path));
  } else {
    json.null();
  }
  json.key("name").text(entry.name);
  json.key("label").text(row.path.valid() ? view.label(row.path) : std::string_view(entry.label));
  json.key("depth");
  if (row.path.valid()) {
    json.number(view.trace().paths.depth(row.path));
  } else {
    json.null();
  }
  json.key("invocations").number(row.invocations);
  json.key("total_ns").number(row.total_ns);
  if (row.nodes > 1 || entry.others) json.key("nodes").number(row.nodes);
  if (metric && *metric != Metric::invocations) {
    const std::string text = metric_text(*metric, row, view.steps()[step]);
    json.key(to_string(*metric));
    if (text.empty()) {
      json.null();
    } else {
      json.number(text);
    }
  }
  json.close('}');
}

void append_trends(JsonWriter& json, const TreeView& view) {
  json.key("compared").open('[');
  for (const PhaseSums& phase : sum_phases(view)) {
    json.open('{', true);
    json.key("phase").text(phase.phase);
    json.key("steps").number(phase.steps.size());
    json.key("total_ns").number(phase.total_ns);
    json.key("entries").open('[');
    for (const PhaseEntry& entry : phase.entries) {
      json.open('{', true);
      json.key("name").text(view.entries()[entry.entry].name);
      json.key("total_ns").number(entry.total_ns);
      json.key("first_ns").number(entry.first_ns);
      json.key("last_ns").number(entry.last_ns);
      json.key("slope_ns").number(entry.slope_ns);
      json.close('}');
    }
    json.close(']');
    json.close('}');
  }
  json.close(']');
}

}  // namespace

void write_tree_json(const TreeView& view, const TreeRun& run, std::optional<Metric> metric,
                     const Write& write) {
  std::string out;
  JsonWriter json(out);
  json.open('{');
  json.key("kr").text(KR_VERSION);
  json.key("runs").open('[');
  json.open('{', true);
  json.key("id").text(run.id);
  json.key("source").text(view.trace().source);
  json.key("format").text(view.trace().format);
  json.key("engine").text(run.engine);
  json.key("model").text(run.model);
  append_context(json, view.trace());
  json.key("phases").open('[');
  std::vector<ModuleNode> nodes;
  std::vector<ViewRow> rows;
  for (size_t i = 0; i < view.steps().size(); ++i) {
    const ViewStep& step = view.steps()[i];
    json.open('{', true);
    json.key("phase").text(step.phase);
    optional_number(json, "step", step.step);
    optional_number(json, "layer", step.layer);
    json.key("key").text(step.key);
    optional_number(json, "running_seqs", step.running_seqs);
    json.key("total_ns").number(step.total_ns);
    json.key("nodes").open('[');
    view.rows(i, nodes, rows);
    for (const ViewRow& row : rows) append_node(json, view, i, row, metric);
    json.close(']');
    json.close('}');
    write(out);
    out.clear();
  }
  json.close(']');
  const Attribution sums = attribution(view);
  json.key("attribution").open('{');
  json.key("module_ns").number(sums.module_ns);
  json.key("layer_ns").number(sums.layer_ns);
  json.key("none_ns").number(sums.none_ns);
  json.close('}');
  if (view.options().compat) json.key("lost_ns").number(view.lost_ns());
  append_trends(json, view);
  append_losses(json, view.trace());
  json.close('}');
  json.close(']');
  json.close('}');
  out += '\n';
  write(out);
}

}  // namespace kr
