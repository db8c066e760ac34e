// `kr coverage --format json` and `--format csv`.
#include <algorithm>

#include "report/coverage.hpp"
#include "report/csv.hpp"
#include "report/json_parts.hpp"
#include "report/numbers.hpp"

namespace kr {
namespace {

double share(int64_t part, int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

void write_share(JsonWriter& json, int64_t part, int64_t whole) {
  json.key("share");
  if (whole == 0) {
    json.null();
  } else {
    json.number(share(part, whole));
  }
}

/// In percent of the time.
void write_points(JsonWriter& json, int64_t part, int64_t whole) {
  json.key("points").number(whole == 0 ? 0.0 : 100 * share(part, whole));
}

void write_run(JsonWriter& json, const Program& program, const std::string& dimension,
               const MeasuredRun& run) {
  const Model& model = program.models.get(run.model);
  json.open('{', true);
  json.key("id").text(run.id);
  json.key("source").text(run.source);
  json.key("format").text(run.format);
  json.key("engine").text(program.engines.get(model.engine).name);
  json.key("model").text(model.name);
  json.key("why").text(run.choice_why);
  json.key("dimension").text(dimension);
  json.key("explained_ns").number(run.explained_ns);
  json.key("total_ns").number(run.total_ns);
  write_share(json, run.explained_ns, run.total_ns);
  json.key("names").number(run.names.size());
  json.key("unexplained_names")
      .number(std::count_if(run.names.begin(), run.names.end(),
                            [](const MeasuredName& name) { return !name.explained; }));
  write_losses(json, run.losses);
  json.close('}');
}

void write_place(JsonWriter& json, const SourceMap& sources, const Suggestion& one) {
  json.key("place").open('{');
  json.key("file").text(sources.path(one.place.file));
  json.key("line").number(one.place.line);
  json.key("byte").number(one.place.byte);
  json.key("owner").text(one.place.owner);
  json.key("insert").text(one.insert);
  json.close('}');
}

void write_suggestion(JsonWriter& json, const SourceMap& sources, const TimeCoverage& coverage,
                      const Suggestion& one) {
  json.open('{', true);
  json.key("name").text(one.names[0].name);
  json.key("instances").number(one.instances);
  json.key("total_ns").number(one.total_ns);
  json.key("rule").text(one.rule);
  json.key("test").text(one.test);
  json.key("label").text(one.label);
  json.key("label_words").open('[');
  for (const std::string& word : one.label_words) json.text(word);
  json.close(']');
  json.key("likeness").text(one.likeness);
  write_points(json, one.total_ns, coverage.total_ns);
  json.key("names").open('[');
  for (const UnexplainedName& name : one.names) {
    json.open('{');
    json.key("name").text(name.name);
    json.key("operation").text(to_string(name.kind));
    json.key("instances").number(name.instances);
    json.key("total_ns").number(name.total_ns);
    json.close('}');
  }
  json.close(']');
  json.key("runs").open('[');
  for (const Suggestion::InRun& in_run : one.runs) {
    const MeasuredRun& run = coverage.runs[in_run.run];
    json.open('{');
    json.key("id").text(run.id);
    json.key("instances").number(in_run.instances);
    json.key("total_ns").number(in_run.total_ns);
    write_points(json, in_run.total_ns, run.total_ns);
    json.close('}');
  }
  json.close(']');
  write_place(json, sources, one);
  json.close('}');
}

}  // namespace

std::string coverage_json(const CompiledRules& rules, const TimeCoverage& coverage) {
  std::string out;
  JsonWriter json(out);
  json.open('{');
  json.key("kr").text(KR_VERSION);
  json.key("dimension").text(coverage.dimension);
  json.key("runs").open('[');
  for (const MeasuredRun& run : coverage.runs) {
    write_run(json, rules.program(), coverage.dimension, run);
  }
  json.close(']');
  json.key("explained_ns").number(coverage.explained_ns);
  json.key("total_ns").number(coverage.total_ns);
  write_share(json, coverage.explained_ns, coverage.total_ns);
  json.key("unexplained").open('[');
  for (const Suggestion& one : coverage.unexplained) {
    write_suggestion(json, rules.sources(), coverage, one);
  }
  json.close(']');
  json.key("groups_left").number(coverage.groups_left);
  json.key("left_ns").number(coverage.left_ns);
  json.close('}');
  out += '\n';
  return out;
}

std::string coverage_csv(const CompiledRules& rules, const TimeCoverage& coverage) {
  CsvWriter csv(CsvWriter::Cells::as_they_are);
  csv.plain("likeness,names,instances,total_ns,points,label,rule,file,line,owner,name,test");
  csv.end_row();
  for (const Suggestion& one : coverage.unexplained) {
    csv.text(one.likeness).number(static_cast<int64_t>(one.names.size()));
    csv.number(one.instances).number(one.total_ns);
    csv.plain(percent(one.total_ns, coverage.total_ns, 4));
    csv.text(one.label).text(one.rule);
    csv.text(rules.sources().path(one.place.file)).number(one.place.line).text(one.place.owner);
    csv.text(one.names[0].name).text(one.test);
    csv.end_row();
  }
  return csv.take();
}

}  // namespace kr
