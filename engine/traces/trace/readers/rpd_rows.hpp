// Rows of a rocmProfileData trace to operations, calls and ranges.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/hash.hpp"
#include "trace/readers/block_rows.hpp"
#include "trace/readers/id_memory.hpp"
#include "trace/readers/sqlite_scan.hpp"
#include "trace/readers/sqlite_texts.hpp"

namespace kr::trace {

enum class RpdTable : uint8_t { operations, calls };
std::string_view name_of(RpdTable table) noexcept;

struct RpdRows : BlockRows, ScanRows {
  uint64_t of_tracer = 0;  // its own calls, which are left out

  RpdTable kind() const noexcept { return static_cast<RpdTable>(table); }
};

/// What is read of the rows.
struct RpdParts {
  bool link = false;        // of an operation, its id in place of its correlation
  bool names_only = false;  // of ranges; calls are left out
  bool strict = false;      // OpenOptions::strict
};

/// Whether the table has the columns without which it says nothing.
bool has_columns(const SqliteTables& tables, RpdTable table);

/// Reads ranges with a connection of its own. Rows that cannot be are counted and left out; times
/// of operations that cannot be right are marked (trace/time_fault.hpp).
class RpdRowReader {
 public:
  RpdRowReader(sqlite::Database database, const SqliteTables& tables, RpdParts parts);
  /// Fills `out` from its table and range. Throws Error.
  void read(RpdRows& out);

 private:
  static constexpr size_t columns = 7;
  using Cells = std::array<sqlite::Statement::Cell, columns>;
  struct Call {
    enum class Kind : uint8_t { unknown, call, range, of_tracer };
    uint32_t number = 0;
    Kind kind = Kind::unknown;
    bool valid() const noexcept { return kind != Kind::unknown; }
  };
  struct RangeName {
    uint32_t number = UINT32_MAX;
    bool module = false;
    bool valid() const noexcept { return number != UINT32_MAX; }
  };
  /// A description and a type of operation, as ids of strings.
  using NameKey = std::pair<int64_t, int64_t>;
  struct NameKeyHash {
    size_t operator()(const NameKey& key) const noexcept {
      return hash_numbers(static_cast<uint64_t>(key.first), static_cast<uint64_t>(key.second));
    }
  };

  void add_operation(const Cells& cells);
  void add_call(const Cells& cells);
  NameId operation_name(const Cells& cells);
  NameId name_of_ids(const NameKey& key, int64_t operation);
  Call call(const Cells& cells);
  RangeName range_name(const Cells& cells);
  uint32_t thread(int64_t process, int64_t thread);
  int64_t number_in(const Cells& cells, int column, std::string_view otherwise);
  void add_dropped(std::string_view what) { rows_.add_dropped(out_->dropped, *out_, what); }
  [[noreturn]] void fail(std::string_view what) const;

  RangeReader rows_;
  SqliteTexts strings_;
  SqliteTexts arguments_;
  SqliteTexts kernels_;  // of schemas until 2022, ids of their names by operation
  RpdParts parts_;
  // Of the range that is being read.
  const sqlite::Statement* row_ = nullptr;
  RpdRows* out_ = nullptr;
  // What is known by the numbers of `ids_`.
  LocalIds ids_;
  std::unordered_map<NameKey, NameId, NameKeyHash> names_;  // not valid: not an operation
  std::pair<NameKey, NameId> last_name_;
  IdMemory<Call> calls_;
  IdMemory<RangeName> ranges_;
  std::map<std::pair<int64_t, int64_t>, uint32_t> threads_;
  std::string text_;
};

}  // namespace kr::trace
