// `kr classify --format csv`.
#include <array>

#include "overview/dimensions.hpp"
#include "overview/report.hpp"
#include "table/csv.hpp"

namespace kr::overview {
namespace {

/// What a row holds beside its name: numbers, labels, places of rules. A guess, for `reserve`.
constexpr size_t bytes_beside_name = 160;

size_t estimated_bytes(const analyze::RunSummary& run) {
  size_t bytes = 4096;
  for (const analyze::NameSum& name : run.names) bytes += name.name.size() + bytes_beside_name;
  return bytes;
}

struct Column {
  std::string dimension;
  std::optional<size_t> index;
};

std::vector<Column> further_of(const analyze::RunSummary& run) {
  std::vector<Column> columns;
  for (std::string& name : further_dimensions(std::array{&run})) {
    const auto index = run.dimension(name);
    columns.push_back({std::move(name), index});
  }
  return columns;
}

void write_label_and_rule(table::CsvWriter& csv, const analyze::NameSum::LabelResult* label) {
  csv.text(label != nullptr ? label->label : std::string_view());
  csv.text(label != nullptr ? label->rule : std::string_view());
}

}  // namespace

std::string classify_csv(const analyze::RunSummary& run) {
  table::CsvWriter csv(table::CsvWriter::Cells::as_they_are);
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
  for (const analyze::NameSum& name : run.names) {
    csv.text(name.name).number(name.instances).number(name.total_ns).number(name.elapsed_ns);
    csv.text(label_of(name, stage, {}));
    write_label_and_rule(csv, name.label(substage));
    for (const Column& column : further) write_label_and_rule(csv, name.label(column.index));
    csv.end_row();
  }
  return csv.take();
}

}  // namespace kr::overview
