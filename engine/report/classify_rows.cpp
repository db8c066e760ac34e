// `kr classify --format csv` and `jsonl`.
#include "base/json_writer.hpp"
#include "report/csv.hpp"
#include "report/dimensions.hpp"
#include "report/report.hpp"

namespace kr {
namespace {

/// What a row holds beside its name: numbers, labels, places of rules. A guess, for `reserve`.
constexpr size_t bytes_beside_name = 160;

size_t estimated_bytes(const RunSummary& run) {
  size_t bytes = 4096;
  for (const NameSum& name : run.names) bytes += name.name.size() + bytes_beside_name;
  return bytes;
}

struct Column {
  std::string dimension;
  std::optional<size_t> index;
};

std::vector<Column> further_of(const RunSummary& run) {
  std::vector<Column> columns;
  for (std::string& name : further_dimensions(std::span(&run, 1))) {
    const auto index = run.dimension(name);
    columns.push_back({std::move(name), index});
  }
  return columns;
}

void write_label_and_rule(CsvWriter& csv, const NameSum::Given* label) {
  csv.text(label != nullptr ? label->label : std::string_view());
  csv.text(label != nullptr ? label->rule : std::string_view());
}

void write_or_null(JsonWriter& json, std::string_view key, const NameSum::Given* label,
                   std::string NameSum::Given::*member) {
  json.key(key);
  if (label == nullptr || (label->*member).empty()) {
    json.null();
  } else {
    json.text(label->*member);
  }
}

}  // namespace

std::string classify_csv(const RunSummary& run) {
  CsvWriter csv(CsvWriter::Cells::as_they_are);
  csv.reserve(estimated_bytes(run));
  for (const char* column :
       {"name", "instances", "total_ns", "elapsed_ns", "stage", "substage", "rule"}) {
    csv.text(column);
  }
  const auto further = further_of(run);
  for (const Column& column : further) {
    csv.text(column.dimension).text("rule_" + column.dimension);
  }
  csv.end_row();
  const auto stage = run.dimension("stage");
  const auto substage = run.dimension("substage");
  for (const NameSum& name : run.names) {
    csv.text(name.name).number(name.instances).number(name.total_ns).number(name.elapsed_ns);
    csv.text(label_of(name, stage, {}));
    write_label_and_rule(csv, given(name, substage));
    for (const Column& column : further) write_label_and_rule(csv, given(name, column.index));
    csv.end_row();
  }
  return csv.take();
}

std::string classify_jsonl(const RunSummary& run) {
  const auto further = further_of(run);
  const auto stage = run.dimension("stage");
  const auto substage = run.dimension("substage");
  std::string out;
  out.reserve(estimated_bytes(run) + run.names.size() * bytes_beside_name);
  for (const NameSum& name : run.names) {
    JsonWriter json(out);
    json.open('{');
    json.key("name").text(name.name);
    json.key("operation_kind").text(to_string(name.kind));
    json.key("instances").number(name.instances);
    json.key("total_ns").number(name.total_ns);
    json.key("elapsed_ns").number(name.elapsed_ns);
    write_or_null(json, "stage", given(name, stage), &NameSum::Given::label);
    write_or_null(json, "substage", given(name, substage), &NameSum::Given::label);
    write_or_null(json, "rule", given(name, substage), &NameSum::Given::rule);
    for (const Column& column : further) {
      const NameSum::Given* label = given(name, column.index);
      write_or_null(json, column.dimension, label, &NameSum::Given::label);
      write_or_null(json, "rule_" + column.dimension, label, &NameSum::Given::rule);
    }
    json.close('}');
    out += '\n';
  }
  return out;
}

}  // namespace kr
