#include "changes/saved_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/check.hpp"
#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/own_output.hpp"
#include "kr/render.hpp"

namespace kr::changes {
namespace {

using sqlite::Statement;

/// Steps of phases, layers, and the run.
constexpr size_t max_sequences = 2 * analyze::Sequence::max_phases + 1;

constexpr const char* save_again = "save the run again with `kr report RUN --save FILE.krun`";

/// Whether a file that begins so is a database with the mark and version of saved runs. The numbers
/// are big-endian: https://www.sqlite.org/fileformat2.html
bool is_current(std::string_view head) {
  constexpr size_t head_bytes = 100, version_at = 60, application_at = 68;
  const auto number_at = [&](size_t at) {
    uint32_t number = 0;
    for (const char byte : head.substr(at, 4)) {
      number = number << 8U | static_cast<unsigned char>(byte);
    }
    return number;
  };
  return head.size() >= head_bytes && head.starts_with("SQLite format 3") &&
         number_at(version_at) == saved_version &&
         number_at(application_at) == render::sqlite_application_id;
}

/// SQLite reads no file of this version that is damaged.
sqlite::Database open_undamaged(const std::string& path) {
  if (is_current(read_head(path)) && !has_valid_checksum(path)) {
    throw Error(path, "is damaged or cut off: its checksum does not match its content", save_again);
  }
  return sqlite::Database::read(path);
}

}  // namespace

SavedTables::SavedTables(const std::string& path) : path_(path), database_(open_undamaged(path)) {
  check_version();
}

void SavedTables::refuse(const std::string& why) const {
  throw Error(path_, why, save_again);
}

int64_t SavedTables::amount(const Statement& row, int column) const {
  const int64_t number = row.integer(column);
  if (number < 0 || number > int64_t{1} << 61) refuse("has a count or time that cannot be");
  return number;
}

int64_t SavedTables::time(const Statement& row, int column) const {
  const int64_t time = row.integer(column);
  constexpr int64_t most = int64_t{1} << 61;
  if (time < -most || time > most) refuse("has a time that cannot be");
  return time;
}

int32_t SavedTables::device(const Statement& row, int column) const {
  const int64_t device = row.integer(column);
  check(device >= INT32_MIN && device <= INT32_MAX);
  return static_cast<int32_t>(device);
}

analyze::Breakdown SavedTables::breakdown(const Statement& row, int column) const {
  analyze::Breakdown one;
  for (int64_t analyze::Breakdown::*value :
       {&analyze::Breakdown::operations, &analyze::Breakdown::span_ns, &analyze::Breakdown::busy_ns,
        &analyze::Breakdown::compute_ns, &analyze::Breakdown::communication_ns,
        &analyze::Breakdown::exposed_communication_ns, &analyze::Breakdown::memory_ns,
        &analyze::Breakdown::exposed_memory_ns, &analyze::Breakdown::idle_ns}) {
    one.*value = amount(row, column++);
  }
  // Each is at most the span, which is at most 2^61.
  check(one.compute_ns <= one.span_ns && one.communication_ns <= one.span_ns &&
        one.exposed_communication_ns <= one.communication_ns && one.memory_ns <= one.span_ns &&
        one.exposed_memory_ns <= one.memory_ns && one.idle_ns <= one.span_ns &&
        one.busy_ns == one.span_ns - one.idle_ns &&
        one.busy_ns - one.compute_ns == one.exposed_communication_ns + one.exposed_memory_ns);
  return one;
}

void SavedTables::check_version() const {
  const auto number = [&](const char* pragma) {
    Statement row = database_.prepare(pragma);
    return row.step() ? row.integer(0) : 0;
  };
  if (number("PRAGMA application_id") != render::sqlite_application_id) {
    refuse("is not a saved run");
  }
  const int64_t version = number("PRAGMA user_version");
  if (version != saved_version) {
    refuse(
        fmt::format("was saved by another version of kr: its tables have version {}, those of "
                    "this program {}",
                    version, saved_version));
  }
  static constexpr std::array of_trees{"runs", "tree_kernels", "tree_labels", "tree_step_labels",
                                       "tree_sequences"};
  static constexpr std::array of_operations{"runs",    "labels",          "coverage",
                                            "kernels", "devices",         "run_identities",
                                            "streams", "labels_by_device"};
  const bool trees = has_module_trees();
  for (const char* table : trees ? std::span<const char* const>(of_trees) : of_operations) {
    if (!has(table)) refuse(fmt::format("has no table `{}`", table));
  }
}

bool SavedTables::has(std::string_view table) const {
  return database_.can_prepare(fmt::format("SELECT 1 FROM {}", sqlite::quoted(table)));
}

// Saved runs have no index: the rows of a run follow each other.
const SavedTables::RowsByRun& SavedTables::rows_by_run(const std::string& table) const {
  const auto [at, added] = rows_.try_emplace(table);
  if (added) {
    Statement rows = database_.prepare(
        fmt::format("SELECT run, min(rowid), max(rowid) FROM {} GROUP BY run", table));
    while (rows.step()) {
      at->second.emplace(rows.text(0), Rows{rows.integer(1), rows.integer(2)});
    }
  }
  return at->second;
}

Statement SavedTables::of_run(std::string sql, const std::string& run) const {
  constexpr std::string_view before = " FROM ", after = " WHERE run = ?1";
  const size_t end = sql.find(after);
  KR_CHECK(end != sql.npos);
  const size_t begin = sql.rfind(before, end);
  KR_CHECK(begin != sql.npos);
  const size_t name = begin + before.size();
  const RowsByRun& runs = rows_by_run(sql.substr(name, end - name));
  const auto at = runs.find(run);
  const Rows rows_of_run = at == runs.end() ? Rows{0, -1} : at->second;
  sql.insert(end + after.size(),
             fmt::format(" AND rowid BETWEEN {} AND {}", rows_of_run.first, rows_of_run.second));
  Statement rows = database_.prepare(sql);
  rows.bind(1, run);
  return rows;
}

void SavedTables::read_sequences(const char* table, const std::string& run,
                                 Profile& profile) const {
  using analyze::Sequence;
  Statement rows =
      of_run(fmt::format("SELECT part, coalesce(phase, ''), kernel FROM {} WHERE run = ?1 ORDER BY "
                         "rowid",
                         table),
             run);
  while (rows.step()) {
    const auto of = analyze::sequence_part_from(rows.text(0));
    const std::string phase(rows.text(1));
    const int64_t name = rows.integer(2);
    if (!of || name < 0 || static_cast<size_t>(name) >= profile.names.size()) {
      refuse("has a sequence of names that it does not have");
    }
    auto& all = profile.sequences;
    if (all.empty() || all.back().of != *of || all.back().phase != phase) {
      all.push_back({*of, phase, {}});
    }
    if (all.back().names.size() == Sequence::max_places || all.size() > max_sequences) {
      refuse("has sequences that are too long");
    }
    all.back().names.push_back(static_cast<uint32_t>(name));
  }
}

}  // namespace kr::changes
