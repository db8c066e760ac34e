// result.csv.
#include <algorithm>
#include <tuple>

#include "overview/dimensions.hpp"
#include "overview/report.hpp"
#include "sema/program.hpp"
#include "table/csv.hpp"

namespace kr::overview {
namespace {

struct ResultRow {
  std::string_view substage, name, stage, operation, rule;
  int64_t instances, elapsed_ns, total_ns;
};

void write_head(table::CsvWriter& csv, const std::vector<std::string>& further) {
  for (const char* column : {"Model_Engine", "Substage", "Instances", "Name", "Elapsed Time (sec)",
                             "Stage", "Total Time (sec)", "Elapsed (ns)", "Total (ns)",
                             "Kind of operation", "Engine", "Model", "Rule"}) {
    csv.text(column);
  }
  for (const std::string& dimension : further) csv.text(dimension);
  csv.end_row();
}

/// All columns but those of further dimensions.
void write_columns(table::CsvWriter& csv, const analyze::RunSummary& run, const ResultRow& row) {
  csv.text(run.id).text(row.substage).number(row.instances).text(row.name);
  csv.plain(table::seconds(row.elapsed_ns)).text(row.stage).plain(table::seconds(row.total_ns));
  csv.number(row.elapsed_ns).number(row.total_ns).text(row.operation);
  csv.text(run.engine).text(run.model).text(row.rule);
}

void write_run(table::CsvWriter& csv, const analyze::RunSummary& run,
               const std::vector<std::string>& further) {
  const auto substage = run.dimension("substage");
  const auto stage = run.dimension("stage");
  std::vector<std::optional<size_t>> columns;
  columns.reserve(further.size());
  for (const std::string& dimension : further) columns.push_back(run.dimension(dimension));

  std::vector<const analyze::NameSum*> names;
  names.reserve(run.names.size());
  for (const analyze::NameSum& name : run.names) names.push_back(&name);
  std::stable_sort(
      names.begin(), names.end(), [&](const analyze::NameSum* a, const analyze::NameSum* b) {
        const auto label_a = label_of(*a, substage, {}), label_b = label_of(*b, substage, {});
        return std::tie(label_a, b->elapsed_ns, b->total_ns, a->name, a->kind) <
               std::tie(label_b, a->elapsed_ns, a->total_ns, b->name, b->kind);
      });
  for (const analyze::NameSum* name : names) {
    const analyze::NameSum::LabelResult* by = name->label(substage);
    write_columns(csv, run,
                  {.substage = label_of(*name, substage, sema::reserved::unclassified),
                   .name = name->name,
                   .stage = label_of(*name, stage, {}),
                   .operation = to_string(name->kind),
                   .rule = by != nullptr ? std::string_view(by->rule) : std::string_view(),
                   .instances = name->instances,
                   .elapsed_ns = name->elapsed_ns,
                   .total_ns = name->total_ns});
    for (const auto& column : columns) csv.text(label_of(*name, column, {}));
    csv.end_row();
  }
  if (run.operations == 0 && run.non_gpu_ns == 0) return;
  write_columns(csv, run,
                {.substage = sema::reserved::non_gpu,
                 .name = sema::reserved::non_gpu,
                 .stage = sema::reserved::non_gpu,
                 .operation = {},
                 .rule = {},
                 .instances = 1,
                 .elapsed_ns = run.non_gpu_ns,
                 .total_ns = run.non_gpu_ns});
  for (size_t i = 0; i < columns.size(); ++i) csv.plain({});
  csv.end_row();
}

size_t estimated_csv_bytes(const Report& report) {
  size_t bytes = 4096;
  for (const analyze::RunSummary* run : report.runs) {
    for (const analyze::NameSum& name : run->names) bytes += name.name.size() + 200;
  }
  return bytes;
}

}  // namespace

std::string to_csv(const Report& report) {
  table::CsvWriter csv(table::CsvWriter::Cells::escaped);
  csv.reserve(estimated_csv_bytes(report));
  const auto further = further_dimensions(report.runs);
  write_head(csv, further);
  for (const analyze::RunSummary* run : report.runs) write_run(csv, *run, further);
  return csv.take();
}

}  // namespace kr::overview
