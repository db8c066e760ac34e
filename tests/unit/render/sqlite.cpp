#include "base/sqlite.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <initializer_list>

#include "support.hpp"

using namespace kr::test;
namespace fs = std::filesystem;

namespace {

class WrittenDatabase {
 public:
  explicit WrittenDatabase(const std::vector<Table>& tables) {
    fs::remove(path_);
    kr::render::sqlite(tables, path_, "result.sqlite");
  }
  WrittenDatabase(const WrittenDatabase&) = delete;
  ~WrittenDatabase() { fs::remove(path_); }

  /// A line per row, cells as SQL has them.
  std::string read(std::initializer_list<const char*> columns, const std::string& from) const {
    std::string sql = "SELECT ''";
    for (const char* column : columns) sql += std::string(" || quote(") + column + ") || ' '";
    const auto database = kr::sqlite::Database::write(path_);  // views are not read elsewhere
    auto statement = database.prepare(sql + " FROM " + from);
    std::string out;
    while (statement.step()) {
      out += statement.text(0);
      out.back() = '\n';
    }
    return out;
  }

 private:
  std::string path_ =
      fs::temp_directory_path() / ("kr-render-test-" + std::to_string(::getpid()) + ".sqlite");
};

kr::TableInfo many_info() {
  kr::TableInfo info = units_info;
  info.many_rows = true;
  return info;
}

constexpr const char* unit_rows =
    "'a' '=1+1' 1000 1234567 12345678 10.5 4096 0.12345 1.25 1000000.0 1500000000000.0 99.95 "
    "1980000000.0 1 NULL\n"
    "'a' 'say \"hi\", a|b' 0 0 -500 NULL 0 0.0 0.5 0.0 7.0 0.0 1.0 0 "
    "'back\\slash `code` <b> _a_b'\n"
    "'a' X'FF00780A' 2 2.5 999999 0.1 1 1.0 1.0e+22 1.0e-07 Inf 100.0 0.0 0 'µ\ttab'\n";

std::string all_units(const WrittenDatabase& database) {
  std::string text =
      database.read({"run", "name", "device", "calls", "total_ns", "mean_ns", "size", "share",
                     "speedup", "rate", "work", "load", "clock", "seen", "reason"},
                    "units");
  // SQLite has no name for it.
  if (const size_t at = text.find(" 9.0e+999 "); at != std::string::npos) {
    text.replace(at, 10, " Inf ");
  }
  return text;
}

}  // namespace

TEST_CASE("sqlite: a table per table, with what kr wrote it and what columns mean") {
  const WrittenDatabase database({units_table(), runs_table(), empty_table()});
  CHECK(all_units(database) == unit_rows);
  CHECK(database.read({"run"}, "runs") == "'a'\n");
  CHECK(database.read({"run"}, "empty").empty());
  const std::string version = json_head().substr(7, json_head().find("\",") - 7);
  CHECK(database.read({"key", "value"}, "info") == "'kr' '" + version + "'\n'schema' '3'\n");
  CHECK(database.read({"application_id"}, "pragma_application_id") == "1802663026\n");
  CHECK(database.read({"user_version"}, "pragma_user_version") == "3\n");
  CHECK(database.read({"name", "type", "\"notnull\""},
                      "pragma_table_info('units') WHERE cid IN (1, 2, 3, 5, 7, 13, 14)") ==
        "'name' 'TEXT' 1\n'device' 'INTEGER' 1\n'calls' 'INTEGER' 1\n'mean_ns' 'REAL' 0\n"
        "'share' 'REAL' 1\n'seen' 'INTEGER' 1\n'reason' 'TEXT' 0\n");
  CHECK(
      database.read({"table_name", "column_name", "unit", "role", "doc"},
                    "columns WHERE column_name IN ('mean_ns', 'reason') OR table_name = 'runs'") ==
      "'units' 'mean_ns' 'ns' 'measure' 'Time per call.'\n"
      "'units' 'reason' 'text' 'detail' 'A reason.'\n"
      "'runs' 'run' 'text' 'key' 'The run.'\n");
  CHECK(database.read({"count(*)"}, "columns WHERE role = 'short_form'") == "0\n");
}

TEST_CASE("sqlite: texts of many rows are stored once, and a view has them") {
  const kr::TableInfo info = many_info();
  const WrittenDatabase database(
      {Table(info, info.columns, add_units), runs_table(), empty_table()});
  CHECK(all_units(database) == unit_rows);
  CHECK(database.read({"type", "name"}, "sqlite_master WHERE name LIKE 'units%' ORDER BY name") ==
        "'view' 'units'\n'table' 'units_rows'\n");
  CHECK(database.read({"run", "name", "device", "reason"}, "units_rows") ==
        "0 1 1000 NULL\n0 2 0 3\n0 4 2 5\n");
  CHECK(database.read({"text"}, "texts ORDER BY text_id LIMIT 3") ==
        "'a'\n'=1+1'\n'say \"hi\", a|b'\n");
  CHECK(database.read({"run"}, "runs") == "'a'\n");
}

TEST_CASE("sqlite: a text is known by its bytes, not by where they are") {
  kr::TableInfo info = long_info;
  info.many_rows = true;
  const WrittenDatabase database({Table(info, info.columns, [](RowSink& sink) {
    std::string text;
    for (int64_t i = 0; i < 1000; ++i) {
      text = std::to_string(i % 10);
      sink.row({i, text});
    }
  })});
  CHECK(database.read({"count(*)"}, "texts") == "10\n");
  CHECK(database.read({"count(*)"}, "long WHERE text = number % 10") == "1000\n");
}

TEST_CASE("sqlite: names of columns that differ in case alone") {
  const kr::TableInfo info{"odd",
                           "odd",
                           "One row.",
                           {{"name", Unit::text, Role::key, "The name."},
                            {"Name", Unit::text, Role::measure, "The label in `Name`."},
                            {"say \"hi\"", Unit::count, Role::measure, "A quote."}}};
  const WrittenDatabase database({Table(info, info.columns, [](RowSink& sink) {
    sink.row({"a", "b", int64_t{1}});
  })});
  CHECK(database.read({"name", "\"Name_2\"", "\"say \"\"hi\"\"\""}, "odd") == "'a' 'b' 1\n");
}
