// `kr tree --format csv`.
#include "overview/tree.hpp"
#include "table/csv.hpp"
#include "trees/names.hpp"

namespace kr {
namespace {

void optional_number(CsvWriter& csv, std::optional<int64_t> number) {
  if (number) {
    csv.number(*number);
  } else {
    csv.plain("");
  }
}

}  // namespace

void write_tree_csv(const TreeView& view, std::optional<Metric> metric, const Write& write) {
  // The calls have a column of their own already.
  const bool extra = metric && *metric != Metric::invocations;
  CsvWriter head(CsvWriter::Cells::as_they_are);
  for (const char* name :
       {"phase", "step", "layer", "depth", "path", "name", "label", "invocations", "total_ns"}) {
    head.plain(name);
  }
  if (extra) head.plain(to_string(*metric));
  head.end_row();
  write(head.take());

  // What depends on the path alone, quoted once: depth, path, name, label.
  std::vector<std::string> about(view.trace().paths.size());
  const auto about_path = [&](const ViewRow& row) -> const std::string& {
    std::string& cells = about[row.path.index];
    if (cells.empty()) {
      CsvWriter csv(CsvWriter::Cells::as_they_are);
      csv.number(view.trace().paths.depth(row.path));
      csv.text(path_text(view.trace(), row.path));
      csv.text(view.entries()[row.entry].name).text(view.label(row.path));
      cells = csv.take();
    }
    return cells;
  };
  std::vector<ModuleNode> nodes;
  std::vector<ViewRow> rows;
  for (size_t i = 0; i < view.steps().size(); ++i) {
    const ViewStep& step = view.steps()[i];
    view.rows(i, nodes, rows);
    CsvWriter csv(CsvWriter::Cells::as_they_are);
    for (const ViewRow& row : rows) {
      csv.text(step.phase);
      optional_number(csv, step.step);
      optional_number(csv, view.layer(i, row));
      if (row.path.valid()) {
        csv.plain(about_path(row));
      } else {
        const ViewEntry& entry = view.entries()[row.entry];
        csv.plain("").plain("").text(entry.name).text(entry.label);
      }
      csv.number(row.invocations);
      csv.number(row.total_ns);
      if (extra) csv.plain(metric_text(*metric, row, step));
      csv.end_row();
    }
    write(csv.take());
  }
}

}  // namespace kr
