// What the tables named after reports of `nsys stats` share: groups of operations or calls with
// their sums, and the columns of these.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/spread.hpp"
#include "tables/definition.hpp"
#include "trace/trace.hpp"

namespace kr::tables {

using table::AliasColumn;
using table::AliasForm;

/// The labels of names, for tables with one row per name: nothing where operations of a name have
/// different ones.
class NameLabels {
 public:
  NameLabels(const Source& source, const Run& run);
  void append(trace::NameId name, Cells& row) const;
  void append_nothing(Cells& row) const { row.resize(row.size() + dimensions_); }

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

/// total, count, mean, median, min, max, deviation.
void append_spread(const analyze::Spread& spread, Cells& row);
/// The columns of these, of times of `what` (`operations`), with its share before them.
std::vector<Column> with_times(std::vector<Column> key, const std::string& what,
                               const std::string& count_id = "instances");

/// `Time (%)`, `Total Time (ns)` and so on, with `count` for the number, then `last`.
std::vector<AliasColumn> time_alias(const std::string& count_title, std::vector<AliasColumn> last,
                                    const std::string& count_id = "instances");

/// The version of a function.
Column version_column();

/// The key columns of a run and of a name, with one per dimension.
std::vector<Column> name_key(std::string id, std::string doc);

/// A table of that alias, which is shown only if it is named.
table::Info stats_info(std::string id, std::string title, std::string doc,
                       std::vector<Column> columns, std::vector<AliasColumn> alias);

/// The grid and the blocks of a kernel: the ids of six columns, and their cells.
std::vector<Column> shape_columns();
void append_shape(const trace::OperationDetail& detail, Cells& row);

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
