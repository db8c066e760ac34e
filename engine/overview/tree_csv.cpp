// `kr tree --format csv`.
#include <fmt/format.h>

#include "overview/tree.hpp"
#include "table/csv.hpp"
#include "table/numbers.hpp"
#include "trees/names.hpp"

namespace kr::overview {
namespace {

void optional_number(table::CsvWriter& csv, std::optional<int64_t> number) {
  if (number) {
    csv.number(*number);
  } else {
    csv.plain("");
  }
}

}  // namespace

void write_tree_csv(const trees::TreeView& view, std::optional<trees::Metric> metric,
                    const Write& write) {
  // The calls have a column of their own already.
  const bool extra = metric && *metric != trees::Metric::invocations;
  table::CsvWriter head(table::CsvWriter::Cells::as_they_are);
  for (const char* name :
       {"phase", "step", "layer", "depth", "path", "name", "label", "invocations", "total_ns"}) {
    head.plain(name);
  }
  if (extra) head.plain(trees::to_string(*metric));
  head.end_row();
  write(head.take());

  // Cells that depend only on the path, quoted once: depth, path, name, label.
  std::vector<std::string> about(view.trace().paths.size());
  const auto about_path = [&](const trees::ViewRow& row) -> const std::string& {
    std::string& cells = about[row.path.index];
    if (cells.empty()) {
      table::CsvWriter csv(table::CsvWriter::Cells::as_they_are);
      csv.number(view.trace().paths.depth(row.path));
      csv.text(trees::path_text(view.trace(), row.path));
      csv.text(view.entries()[row.entry].name).text(view.label(row.path));
      cells = csv.take();
    }
    return cells;
  };
  std::vector<trace::ModuleNode> nodes;
  std::vector<trees::ViewRow> rows;
  for (size_t i = 0; i < view.steps().size(); ++i) {
    const trees::ViewStep& step = view.steps()[i];
    view.rows(i, nodes, rows);
    table::CsvWriter csv(table::CsvWriter::Cells::as_they_are);
    for (const trees::ViewRow& row : rows) {
      csv.text(step.phase);
      optional_number(csv, step.step);
      optional_number(csv, view.layer(i, row));
      if (row.path.valid()) {
        csv.plain(about_path(row));
      } else {
        const trees::ViewEntry& entry = view.entries()[row.entry];
        csv.plain("").plain("").text(entry.name).text(entry.label);
      }
      csv.number(row.invocations);
      csv.number(row.total_ns);
      if (metric == trees::Metric::cuda_time_ms) {
        csv.plain(fmt::format("{}.{:06}", row.total_ns / 1'000'000, row.total_ns % 1'000'000));
      } else if (extra) {
        csv.plain(table::percent(row.total_ns, step.total_ns, 6));
      }
      csv.end_row();
    }
    write(csv.take());
  }
}

}  // namespace kr::overview
