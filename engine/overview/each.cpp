#include "overview/each.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "analyze/sweep.hpp"
#include "analyze/run.hpp"
#include "table/csv.hpp"

namespace kr::overview {
namespace {

constexpr size_t rows_piece_bytes = 64 << 10;

/// What operations of one row of labels have in common: everything before and after the numbers of
/// the operation.
struct RowText {
  std::string head;
  std::string labels;
};

/// A label and its rule, as text, by row.
class EachLabels {
 public:
  EachLabels(const match::CompiledRules& rules, const classify::Labelled& labelled)
      : labels_(rules, labelled) {
    for (const auto& [name, labels] : labels_.dimensions()) {
      if (name != "stage" && name != "substage") further_.push_back(name);
    }
    std::sort(further_.begin(), further_.end());
  }

  const std::vector<std::string>& further() const { return further_; }
  std::string label(std::string_view dimension, uint32_t row) const {
    const classify::LabelResult* given = labels_.find(dimension, row);
    return given != nullptr ? std::string(given->label) : std::string();
  }
  std::string rule(std::string_view dimension, uint32_t row) const {
    const classify::LabelResult* given = labels_.find(dimension, row);
    return given != nullptr ? labels_.rule(*given) : std::string();
  }

 private:
  analyze::TraceLabels labels_;
  std::vector<std::string> further_;
};

std::string csv_header(const EachLabels& labels) {
  table::CsvWriter csv(table::CsvWriter::Cells::as_they_are);
  for (const char* column :
       {"name", "instances", "total_ns", "elapsed_ns", "stage", "substage", "rule"}) {
    csv.text(column);
  }
  for (const std::string& dimension : labels.further()) {
    csv.text(dimension).text("rule_" + dimension);
  }
  for (const char* column : {"operation_kind", "start_ns", "duration_ns", "device", "stream"}) {
    csv.text(column);
  }
  csv.end_row();
  return csv.take();
}

/// A row cut open where the numbers go. CsvWriter ends what it makes with a line break.
std::string without_line_break(std::string text) {
  if (!text.empty()) text.pop_back();
  return text;
}

RowText csv_row(const EachLabels& labels, const trace::OperationName& name, uint32_t id) {
  RowText row;
  table::CsvWriter head(table::CsvWriter::Cells::as_they_are);
  head.text(name.text).number(1).end_row();
  row.head = without_line_break(head.take());
  table::CsvWriter tail(table::CsvWriter::Cells::as_they_are);
  tail.text(labels.label("stage", id)).text(labels.label("substage", id));
  tail.text(labels.rule("substage", id));
  for (const std::string& dimension : labels.further()) {
    tail.text(labels.label(dimension, id)).text(labels.rule(dimension, id));
  }
  tail.text(to_string(name.kind)).end_row();
  row.labels = without_line_break(tail.take());
  return row;
}

}  // namespace

void classify_each_csv(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                       const std::function<void(std::string_view)>& write) {
  const EachLabels labels(rules, run.labelled);
  std::vector<RowText> rows;
  rows.reserve(run.labelled.rows());
  for (uint32_t row = 0; row < run.labelled.rows(); ++row) {
    rows.push_back(csv_row(labels, run.trace.names.get(run.labelled.names[row]), row));
  }

  std::string out = csv_header(labels);
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
