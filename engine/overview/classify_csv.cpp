// `kr classify --format csv`: one row per distinct name, or per operation.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "analyze/run.hpp"
#include "analyze/sweep.hpp"
#include "overview/dimensions.hpp"
#include "overview/report.hpp"
#include "table/csv.hpp"

namespace kr::overview {
namespace {

constexpr size_t rows_piece_bytes = 64 << 10;
/// The size of a row without its name: numbers, labels, places of rules. A guess, for `reserve`.
constexpr size_t bytes_beside_name = 160;

table::CsvWriter classify_writer() {
  return table::CsvWriter(table::CsvWriter::Cells::as_they_are);
}

void write_columns(table::CsvWriter& csv, const std::vector<std::string>& further) {
  for (const char* column :
       {"name", "instances", "total_ns", "elapsed_ns", "stage", "substage", "rule"}) {
    csv.text(column);
  }
  for (const std::string& dimension : further) csv.text(dimension).text("rule_" + dimension);
}

struct LabelAndRule {
  std::string label;  // empty: the model does not have the dimension
  std::string rule;
};

/// `find` gives the label in a dimension.
template <class Find>
void write_labels(table::CsvWriter& csv, const std::vector<std::string>& further,
                  const Find& find) {
  csv.text(find("stage").label);
  const auto label_and_rule = [&](std::string_view dimension) {
    const LabelAndRule found = find(dimension);
    csv.text(found.label).text(found.rule);
  };
  label_and_rule("substage");
  for (const std::string& dimension : further) label_and_rule(dimension);
}

/// A row cut open where the numbers go. CsvWriter ends a row with a line break.
std::string without_line_break(std::string text) {
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace

std::string classify_csv(const analyze::RunSummary& run) {
  table::CsvWriter csv = classify_writer();
  size_t bytes = 4096;
  for (const analyze::NameSum& name : run.names) bytes += name.name.size() + bytes_beside_name;
  csv.reserve(bytes);
  const std::vector<std::string> further = further_dimensions(std::array{&run});
  write_columns(csv, further);
  csv.end_row();
  for (const analyze::NameSum& name : run.names) {
    csv.text(name.name).number(name.instances).number(name.total_ns).number(name.elapsed_ns);
    write_labels(csv, further, [&](std::string_view dimension) -> LabelAndRule {
      const analyze::NameSum::LabelResult* found = name.label(run.dimension(dimension));
      if (found == nullptr) return {};
      return {found->label, found->rule};
    });
    csv.end_row();
  }
  return csv.take();
}

void classify_each_csv(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                       const std::function<void(std::string_view)>& write) {
  const analyze::TraceLabels labels(rules, run.labelled);
  std::vector<std::string> further;
  for (const auto& [name, of_rows] : labels.dimensions()) {
    if (name != "stage" && name != "substage") further.push_back(name);
  }
  std::sort(further.begin(), further.end());

  // Operations with equal labels have the text before and after their numbers in common.
  struct RowText {
    std::string head;
    std::string labels;
  };
  std::vector<RowText> rows;
  rows.reserve(run.labelled.rows());
  for (uint32_t row = 0; row < run.labelled.rows(); ++row) {
    const trace::OperationName& name = run.trace.names.get(run.labelled.names[row]);
    table::CsvWriter head = classify_writer();
    head.text(name.text).number(1).end_row();
    table::CsvWriter tail = classify_writer();
    write_labels(tail, further, [&](std::string_view dimension) -> LabelAndRule {
      const classify::LabelResult* found = labels.find(dimension, row);
      if (found == nullptr) return {};
      return {std::string(found->label), labels.rule(*found)};
    });
    tail.text(to_string(name.kind)).end_row();
    rows.push_back({without_line_break(head.take()), without_line_break(tail.take())});
  }

  table::CsvWriter columns = classify_writer();
  write_columns(columns, further);
  for (const char* column : {"operation_kind", "start_ns", "duration_ns", "device", "stream"}) {
    columns.text(column);
  }
  columns.end_row();
  std::string out = columns.take();
  analyze::UnionSweep sweep;
  for (size_t i = 0; i < run.trace.operations.size(); ++i) {
    const trace::Operation& operation = run.trace.operations[i];
    const int64_t elapsed_ns = sweep.add(operation.start_ns, operation.end_ns());
    const RowText& row = rows[run.labelled.row(i, operation)];
    const trace::Track& track = run.trace.track(operation.track);
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{}\n", row.head,
                   operation.duration_ns, elapsed_ns, row.labels, operation.start_ns,
                   operation.duration_ns, track.device, track.stream);
    if (out.size() >= rows_piece_bytes) {
      write(out);
      out.clear();
    }
  }
  write(out);
}

}  // namespace kr::overview
