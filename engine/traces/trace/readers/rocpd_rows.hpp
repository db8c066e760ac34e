// Rows of a rocpd database to operations, calls and ranges.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "base/hash.hpp"
#include "trace/readers/block_rows.hpp"
#include "trace/readers/id_memory.hpp"
#include "trace/readers/rocm_names.hpp"
#include "trace/readers/rocpd_schema.hpp"
#include "trace/readers/sqlite_scan.hpp"
#include "trace/readers/sqlite_texts.hpp"

namespace kr::trace {

enum class RocpdTable : uint8_t { kernels, copies, regions };
inline constexpr size_t rocpd_table_count = 3;
std::string_view name_of(RocpdTable table) noexcept;

struct RocpdRows : BlockRows, ScanRows {
  uint64_t of_tracer = 0;  // its own calls, which are left out

  RocpdTable kind() const noexcept { return static_cast<RocpdTable>(table % rocpd_table_count); }
  size_t process() const noexcept { return table / rocpd_table_count; }
};

struct RocpdParts {
  bool link = false;        // whether operations get a correlation
  bool names_only = false;  // of ranges; calls are left out
  bool strict = false;      // OpenOptions::strict
};

/// Whether the table has the columns without which it says nothing.
bool has_columns(const SqliteTables& tables, const RocpdProcess& process, RocpdTable table);

/// Reads ranges with a connection of its own. Rows that cannot be are counted and left out; times
/// of operations that cannot be right are marked (trace/time_fault.hpp).
class RocpdRowReader {
 public:
  /// The processes have to outlive it.
  RocpdRowReader(sqlite::Database database, const SqliteTables& tables,
                 const std::deque<RocpdProcess>& processes, RocpdParts parts);
  /// Fills `out` from its table and range. Throws Error.
  void read(RocpdRows& out);

 private:
  static constexpr size_t columns = 8;
  using Cells = std::array<sqlite::Statement::Cell, columns>;
  struct Category {
    enum class Kind : uint8_t { unread, known };
    RocmDomain domain = RocmDomain::runtime;
    Kind kind = Kind::unread;
    bool valid() const noexcept { return kind == Kind::known; }
  };
  struct RangeName {
    uint32_t number = UINT32_MAX;
    bool module = false;
    bool valid() const noexcept { return number != UINT32_MAX; }
  };
  struct CallName {
    uint32_t number = UINT32_MAX;
    bool of_tracer = false;
    bool valid() const noexcept { return number != UINT32_MAX; }
  };
  /// What is read of one process, and what is known by the numbers of `ids_`.
  struct OfProcess {
    OfProcess(const sqlite::Database& database, const SqliteTables& tables,
              const RocpdProcess& process);

    const RocpdProcess* process;
    SqliteTexts strings, categories, messages, kernels, symbols;
    IdMemory<Category> domains;
    IdMemory<NameId> kernel_names, copy_names;
    IdMemory<CallName> calls;
    IdMemory<RangeName> regions;  // without texts of their own
    std::unordered_map<std::string, RangeName> texts;
    std::map<std::tuple<int64_t, int64_t>, uint32_t> threads;
  };

  void forget();
  void add_operation(const Cells& cells);
  void add_region(const Cells& cells);
  sqlite::Statement::Cell time(const Cells& cells, size_t column);
  const RocpdProcess::Lane* lane(const Cells& cells) const;
  TrackId track(const Cells& cells);
  NameId kernel_name(int64_t id);
  NameId copy_name(int64_t id);
  int64_t correlation(const std::array<int64_t, 3>* event) const;
  RocmDomain domain(const std::array<int64_t, 3>* event, std::string_view name);
  CallName call(int64_t id);
  RangeName named(std::string_view text);
  RangeName marker(int64_t name, const std::array<int64_t, 3>* event);
  uint32_t thread(const Cells& cells);
  std::optional<int64_t> number_in(const Cells& cells, size_t column) const {
    return row_->whole_number(static_cast<int>(column), cells[column]);
  }
  void add_dropped(std::string_view what) { rows_.add_dropped(out_->dropped, *out_, what); }
  [[noreturn]] void fail(std::string_view what) const;

  RangeReader rows_;
  RocpdParts parts_;
  std::deque<OfProcess> of_;
  // Of the range that is being read.
  const sqlite::Statement* row_ = nullptr;
  RocpdRows* out_ = nullptr;
  OfProcess* own_ = nullptr;
  bool timestamps_ = false;  // times are ids of them
  size_t near_time_ = 0;
  size_t near_event_ = 0;
  LocalIds ids_;
  std::string text_;
};

}  // namespace kr::trace
