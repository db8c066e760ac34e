// What the tables named after reports of `nsys stats` share: groups of operations or calls with
// their sums, and the columns of these.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/spread.hpp"
#include "tables/columns.hpp"
#include "trace/trace.hpp"

namespace kr::tables {

using table::AliasColumn;
using table::AliasForm;

/// The labels of names, for tables with one row per name: nothing where operations of a name have
/// different ones.
class NameLabels {
 public:
  NameLabels(const Source& source, const Run& run);
  /// `name`: nothing: it is not that of operations.
  void append(std::optional<trace::NameId> name, Cells& row) const;

 private:
  size_t dimensions_;
  std::vector<std::optional<Cells>> by_name_;
};

/// Whether it is a CUDA graph that was traced as a whole.
bool is_whole_graph(const trace::OperationName& name) noexcept;

/// What nsys calls the kind of an operation: `CUDA_KERNEL`, `MEMORY_OPER`; `CUDA_GRAPH`.
std::string_view category_of(const trace::OperationName& name) noexcept;

/// The process and thread of a call by number, as nsys prints them; nothing if the trace has none.
Cell pid_of(const trace::HostThread& thread);
Cell tid_of(const trace::HostThread& thread);

/// A group and what it is called, for the order of rows.
struct SpreadGroup {
  std::string_view text;  // decides between groups of one total
  size_t group = 0;
  OperationKind kind = OperationKind::kernel;  // decides between equal texts
};
/// Those that have values: by descending total, then by text, then by kind.
std::vector<SpreadGroup> by_total(std::vector<SpreadGroup> groups,
                                  const std::vector<analyze::Spread>& spreads);

/// The total of all groups as a whole; of a share.
int64_t total_of(const std::vector<analyze::Spread>& spreads) noexcept;

/// A row with a name, and the labels of that.
struct NamedRow {
  const NameLabels& labels;
  std::optional<trace::NameId> id;  // nothing: it is not that of operations
  std::string_view name;
};
/// Its label per dimension.
template <class Row>
Columns<Row> labels_of_names() {
  return {
      {std::string(table::dimension_columns), Unit::text, Role::measure,
       "One column per dimension of the models, named after it: the label; empty if operations "
       "of this name have different ones.",
       Value<Row>::several([](const Row& row, Cells& cells) { row.labels.append(row.id, cells); }),
       optional}};
}
/// The name, and these.
template <class Row>
Columns<Row> name_columns(std::string id, std::string doc) {
  return {{std::move(id), Unit::name, Role::key, std::move(doc), &NamedRow::name},
          labels_of_names<Row>()};
}

/// Of a group with that name.
struct SumRow : Parts<Run, analyze::Spread>, NamedRow {
  int64_t all_ns;  // the total of all rows of the run
};

/// What moments are of.
struct MomentWords {
  std::string id;      // of their columns, `{}_ns`
  std::string of;      // of their documentation, ` duration`
  std::string sample;  // ` of durations; 0 for one`
  Unit unit = Unit::ns;
  std::string_view min = "shortest", max = "longest";
  Role median = Role::measure;
  table::More more = {};
};
/// mean, median, min, max and deviation; nothing where there is no value. `get`: the Spread of a
/// row.
template <class Row, class Get>
Columns<Row> moment_columns(const MomentWords& words, Get get) {
  using analyze::Spread;
  const auto of = [get](auto value) {
    return [get, value](const Row& row) {
      const Spread& spread = get(row);
      return cell_if(spread.moments.count > 0, value(spread));
    };
  };
  const auto item = [&](std::string_view id, std::string_view doc, std::string_view what, Role role,
                        Value<Row> value) {
    return typename Columns<Row>::Item(fmt::format(fmt::runtime(words.id), id), words.unit, role,
                                       fmt::format("The {}{}.", doc, what), value, words.more);
  };
  return {item("mean", "mean", words.of, Role::measure,
               of([](const Spread& one) { return one.moments.mean(); })),
          item("median", "median", words.of, words.median,
               of([](const Spread& one) { return one.median; })),
          item("min", words.min, words.of, Role::detail,
               of([](const Spread& one) { return one.moments.min; })),
          item("max", words.max, words.of, Role::detail,
               of([](const Spread& one) { return one.moments.max; })),
          item("stddev", "standard deviation of the sample", words.sample, Role::detail,
               of([](const Spread& one) { return one.moments.deviation(); }))};
}
/// Of the Spread that the row has.
template <class Row>
Columns<Row> moment_columns(const MomentWords& words) {
  return moment_columns<Row>(words, [](const analyze::Spread& of) { return of; });
}
template <class Row>
Columns<Row> duration_columns() {
  return moment_columns<Row>({"{}_ns", " duration", " of durations; 0 for one"});
}

inline int64_t sum_of(const analyze::Spread& spread) {
  return spread.moments.sum;
}
inline int64_t count_of(const analyze::Spread& spread) {
  return spread.moments.count;
}

/// Of times of `what` (`operations`): the share of their total in `Row::all_ns`, total, count and
/// moments.
template <class Row>
Columns<Row> time_columns(const std::string& what, std::string count_id = "instances") {
  return {{"share", Unit::ratio, Role::measure,
           "`total_ns` as a part of the sum of that column over all rows of the run.",
           [](const Row& row) { return ratio_of(sum_of(row), row.all_ns); }, read_with("total_ns")},
          {"total_ns", Unit::ns, Role::measure, "The sum of the durations of the " + what + ".",
           sum_of},
          {std::move(count_id), Unit::count, Role::measure, "How many " + what + " there are.",
           count_of},
          duration_columns<Row>()};
}

/// `Time (%)`, `Total Time (ns)` and so on, with `count` for the number, then `last`.
std::vector<AliasColumn> time_alias(const std::string& count_title, std::vector<AliasColumn> last,
                                    const std::string& count_id = "instances");

/// The version of a function.
inline constexpr table::Head version_column{
    "version", Unit::text, Role::detail,
    "The version of the function that the trace names: `v7000` of `cudaLaunchKernel_v7000`.",
    optional};

/// What nsys 2022 calls a report; empty: it has none.
std::string former_id_of(std::string_view id);

/// A table of that alias, which is shown only if it is named.
template <class Row>
InfoOf<Row> stats_info(std::string id, std::string title, std::string doc, Columns<Row> columns,
                       std::vector<AliasColumn> alias) {
  std::string former_id = former_id_of(id);
  return {.id = std::move(id),
          .title = std::move(title),
          .doc = std::move(doc),
          .columns = std::move(columns),
          .in_short_form = false,
          .alias = std::move(alias),
          .former_id = std::move(former_id)};
}

/// The grid and the blocks of a kernel, of `Row::detail`; null: they are not known.
template <class Row>
Columns<Row> shape_columns(Role role) {
  using Field = trace::DetailField;
  const auto item = [&](const char* id, const char* doc, char axis, Field field) {
    return typename Columns<Row>::Item(
        fmt::format("{}_{}", id, axis), Unit::count, role, fmt::format("{} along {}.", doc, axis),
        [field](const Row& row) {
          return row.detail != nullptr ? row.detail->get(field) : std::nullopt;
        },
        optional);
  };
  return {item("grid", "Thread blocks of its grid", 'x', Field::grid_x),
          item("grid", "Thread blocks of its grid", 'y', Field::grid_y),
          item("grid", "Thread blocks of its grid", 'z', Field::grid_z),
          item("block", "Threads of a thread block", 'x', Field::block_x),
          item("block", "Threads of a thread block", 'y', Field::block_y),
          item("block", "Threads of a thread block", 'z', Field::block_z)};
}

/// Why no run has operations of a kind, or details, or calls of the host; empty: one has.
std::string without_kernels(const Source& source);
std::string without_copies(const Source& source);
std::string without_operations(const Source& source);
std::string without_calls(const Source& source);
std::string without_kernel_shapes(const Source& source);
std::string without_copy_sizes(const Source& source);
std::string without_details(const Source& source);
std::string without_launched_kernels(const Source& source);

}  // namespace kr::tables
