// `kr tree --format json`.
#include "base/json_writer.hpp"
#include "modules/names.hpp"
#include "modules/trends.hpp"
#include "report/json_parts.hpp"
#include "report/tree.hpp"

namespace kr {
namespace {

void append_context(JsonWriter& json, const ModuleTrace& trace) {
  json.key("context").open('{');
  for (const ContextEntry& entry : trace.context) json.key(entry.key).text(entry.value);
  json.close('}');
}

/// Nodes as JSON; what depends on the path alone is made once.
class Nodes {
 public:
  Nodes(const TreeView& view, std::optional<Metric> metric)
      : view_(view), metric_(metric), about_(view.trace().paths.size()) {}

  void append(JsonWriter& json, size_t step, const ViewRow& row) {
    const ViewEntry& entry = view_.entries()[row.entry];
    json.open('{', true);
    json.members(about(row, entry));
    json.key("invocations").number(row.invocations);
    json.key("total_ns").number(row.total_ns);
    if (row.nodes > 1 || entry.others) json.key("nodes").number(row.nodes);
    if (metric_ && *metric_ != Metric::invocations) {
      const std::string text = metric_text(*metric_, row, view_.steps()[step]);
      json.key(to_string(*metric_));
      if (text.empty()) {
        json.null();
      } else {
        json.number(text);
      }
    }
    json.close('}');
  }

 private:
  std::string_view about(const ViewRow& row, const ViewEntry& entry) {
    const bool one = row.path.valid();
    std::string& text = one ? about_[row.path.index] : about_many_;
    if (one && !text.empty()) return text;
    text.clear();
    JsonWriter json(text);
    json.key("path");
    if (one) {
      json.text(path_text(view_.trace(), row.path));
    } else {
      json.null();
    }
    json.key("name").text(entry.name);
    json.key("label").text(one ? view_.label(row.path) : std::string_view(entry.label));
    json.key("depth");
    if (one) {
      json.number(view_.trace().paths.depth(row.path));
    } else {
      json.null();
    }
    return text;
  }

  const TreeView& view_;
  std::optional<Metric> metric_;
  std::vector<std::string> about_;  // by path
  std::string about_many_;
};

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
  Nodes writer(view, metric);
  std::vector<ModuleNode> nodes;
  std::vector<ViewRow> rows;
  for (size_t i = 0; i < view.steps().size(); ++i) {
    const ViewStep& step = view.steps()[i];
    json.open('{', true);
    json.key("phase").text(step.phase);
    write_optional(json, "step", step.step);
    write_optional(json, "layer", step.layer);
    json.key("key").text(step.key);
    write_optional(json, "running_seqs", step.running_seqs);
    write_optional(json, "batch", step.batch);
    write_optional(json, "tokens", step.tokens);
    json.key("total_ns").number(step.total_ns);
    json.key("nodes").open('[');
    view.rows(i, nodes, rows);
    for (const ViewRow& row : rows) writer.append(json, i, row);
    json.close(']');
    json.close('}');
    write(out);
    out.clear();
  }
  json.close(']');
  const AttributionSums sums = attribution(view);
  json.key("attribution").open('{');
  json.key("module_ns").number(sums.module_ns);
  json.key("layer_ns").number(sums.layer_ns);
  json.key("none_ns").number(sums.none_ns);
  json.close('}');
  if (view.modules().attribution) {
    json.key("layers").open('[');
    for (const LayerEvidence& one : view.modules().layer_evidence) {
      json.open('{', true);
      json.key("period").number(one.run.period);
      json.key("repeats").number(one.run.repeats);
      json.key("level").number(one.run.level);
      json.key("units").number(one.units);
      json.key("kernels").number(one.run.unit);
      json.key("total_ns").number(one.run.total_ns);
      json.key("unit_ns").number(one.run.unit_ns);
      json.key("evidence").text(evidence(one.run));
      json.close('}');
    }
    json.close(']');
  }
  if (view.options().compat) json.key("lost_ns").number(view.lost_ns());
  append_trends(json, view);
  write_losses(json, view.trace().losses);
  json.close('}');
  json.close(']');
  json.close('}');
  out += '\n';
  write(out);
}

}  // namespace kr
