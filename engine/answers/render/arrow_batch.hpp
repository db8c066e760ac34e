// Record batches as the Arrow C data interface has them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kr/arrow.h"
#include "table/table.hpp"

namespace kr::render {

/// The columns of a table that a file would have too, as Arrow knows them.
class ArrowColumns {
 public:
  explicit ArrowColumns(const Table& table);

  enum class Type : uint8_t { text, whole, number, boolean };
  struct ArrowColumn {
    size_t index;  // in the rows of the table
    Type type;
    Column description;
  };
  const std::vector<ArrowColumn>& all() const noexcept { return columns_; }

  /// A schema that the consumer releases.
  void schema(const TableInfo& info, ArrowSchema* out) const;

 private:
  std::vector<ArrowColumn> columns_;
};

/// Rows as they come, until they are taken as one batch.
class ArrowBatch {
 public:
  explicit ArrowBatch(const ArrowColumns& columns);

  void add(std::span<const Cell> cells);
  int64_t rows() const noexcept { return rows_; }
  /// An array that the consumer releases. The next batch is empty.
  void take(ArrowArray* out);

 private:
  /// The buffers of one column.
  struct Buffers {
    std::vector<uint8_t> valid;  // bits; without them, all cells are valid
    std::vector<int64_t> whole;  // numbers, or where texts end
    std::vector<double> numbers;
    std::vector<uint8_t> bits;
    std::string text;
    int64_t nulls = 0;
    const void* pointers[3] = {};
  };
  static void release_column(ArrowArray* array);
  static void release_batch(ArrowArray* array);
  void add(const Cell& cell, ArrowColumns::Type type, Buffers& to) const;
  void begin();

  const ArrowColumns& columns_;
  std::vector<Buffers> buffers_;
  int64_t rows_ = 0;
};

}  // namespace kr::render
