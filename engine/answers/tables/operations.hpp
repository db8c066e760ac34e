// The rows of the table `operations` of one run by number: for the table itself, and for SQL, which
// reads single cells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tables/definition.hpp"

namespace kr::tables {

/// Refers to the source and the run, whose attribution is computed when a cell needs it. Memory:
/// that of the labels; 8 bytes per operation once `cell` has returned an elapsed time.
class OperationRows {
 public:
  OperationRows(const Source& source, const Run& run);

  size_t size() const noexcept;
  size_t columns() const noexcept;
  size_t elapsed_column() const noexcept;

  /// All cells of a row but the elapsed time, which is known in order of start alone.
  void fill(size_t row, Cells& cells);
  /// A text is valid until the next call.
  Cell cell(size_t row, size_t column);

  /// Whether `ordered` knows the column: a text that depends on the name and its labels alone.
  bool can_order(size_t column) const noexcept;
  /// The rows in the order of the bytes of their cells in the column; equal ones in their own
  /// order.
  std::vector<uint32_t> ordered(size_t column, bool descending) const;

 private:
  const Cells& named(size_t row) const;
  Cell placed(size_t row, size_t place);
  Cell attributed(size_t row, size_t place);
  std::string_view module_path(size_t row);
  std::string_view annotation(size_t row);
  std::string_view call_site(size_t row);
  void find_elapsed();

  const match::CompiledRules* rules_;
  const analyze::LabelledTrace* labelled_;
  std::vector<std::string> dimensions_;
  std::vector<Cells> named_;  // by row of labels: the cells that depend on it alone
  std::vector<int64_t> elapsed_;
  // Modules of a thread at a time, outermost first: mostly those of the operation before.
  std::pair<uint32_t, int64_t> path_of_{trace::HostRange::none, 0};
  std::string path_;
  std::string annotation_;
  std::optional<std::vector<uint32_t>> sites_;  // see trace::find_call_sites
  std::string site_;
};

}  // namespace kr::tables
