// `kr tree --format csv`.
#include "modules/names.hpp"
#include "report/csv.hpp"
#include "report/tree.hpp"

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

  std::vector<std::string> paths(view.trace().paths.size());  // made when first shown
  std::vector<ModuleNode> nodes;
  std::vector<ViewRow> rows;
  for (size_t i = 0; i < view.steps().size(); ++i) {
    const ViewStep& step = view.steps()[i];
    view.rows(i, nodes, rows);
    CsvWriter csv(CsvWriter::Cells::as_they_are);
    for (const ViewRow& row : rows) {
      const ViewEntry& entry = view.entries()[row.entry];
      csv.text(step.phase);
      optional_number(csv, step.step);
      if (row.path.valid()) {
        std::string& path = paths[row.path.index];
        if (path.empty()) path = path_text(view.trace(), row.path);
        optional_number(csv, view.layer(i, row));
        csv.number(view.trace().paths.depth(row.path));
        csv.text(path);
      } else {
        optional_number(csv, step.layer);
        csv.plain("").plain("");
      }
      csv.text(entry.name);
      csv.text(row.path.valid() ? view.label(row.path) : std::string_view(entry.label));
      csv.number(row.invocations);
      csv.number(row.total_ns);
      if (extra) csv.plain(metric_text(*metric, row, step));
      csv.end_row();
    }
    write(csv.take());
  }
}

}  // namespace kr
