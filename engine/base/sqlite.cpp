#include "base/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/input_files.hpp"
#include "base/integer.hpp"
#include "base/uri.hpp"

namespace kr::sqlite {
namespace {

constexpr int lock_wait_ms = 2000;

// What one connection may do, by the size of the file. A row of an export takes half a step per
// byte, and each text is read once or twice.
constexpr uint64_t steps_a_byte = 16;
constexpr uint64_t min_steps = 10'000'000;
constexpr uint64_t text_a_byte = 16;
constexpr uint64_t min_text = 1 << 20;
constexpr int steps_at_a_time = 1000;
constexpr uint64_t longest_value = 1'000'000'000;  // SQLite's own
constexpr int longest_sql = 1'000'000;
constexpr int longest_program = 100'000;

// The empty authority keeps a path that begins with two slashes from being read as a host.
std::string uri(const std::string& path, std::string_view query) {
  return fmt::format("file://{}{}", uri_path(path), query);
}

uint64_t size_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
}

bool has_write_ahead_log(const std::string& path) {
  return size_of(path + "-wal") > 0;
}

void refuse_function(sqlite3_context* context, int, sqlite3_value**) {
  sqlite3_result_error(context, "functions of a database's schema are not executed", -1);
}

// The functions that statements of kr use.
constexpr std::array<std::string_view, 4> own_functions{"coalesce", "count", "max", "min"};

}  // namespace

Database::Database(std::string location, std::string path, Mode mode)
    : location_(std::move(location)), path_(std::move(path)), mode_(mode) {
  open(mode == Mode::unshared);
}

void Database::open(bool immutable) {
  const std::string name = uri(location_, mode_ == Mode::write ? ""
                                          : immutable          ? "?mode=ro&immutable=1"
                                                               : "?mode=ro");
  const int access =
      mode_ == Mode::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &opened,
                                   access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(opened);
  check(code);
  sqlite3_extended_result_codes(handle_.get(), 1);
  sqlite3_busy_timeout(handle_.get(), lock_wait_ms);
  if (mode_ != Mode::write) distrust();
}

// See "Defense Against The Dark Arts" of SQLite's documentation.
void Database::distrust() {
  const uint64_t size = size_of(location_) + size_of(location_ + "-wal");
  budget_ = std::make_unique<Budget>();
  *budget_ = {size, min_steps + steps_a_byte * size, min_text + text_a_byte * size};
  sqlite3_progress_handler(
      handle_.get(), steps_at_a_time,
      [](void* budget) {
        uint64_t& left = static_cast<Budget*>(budget)->steps_left;
        left -= std::min<uint64_t>(left, steps_at_a_time);
        return left == 0 ? 1 : 0;
      },
      budget_.get());
  sqlite3_limit(handle_.get(), SQLITE_LIMIT_LENGTH,
                static_cast<int>(std::min(longest_value, std::max(size, min_text))));
  sqlite3_limit(handle_.get(), SQLITE_LIMIT_SQL_LENGTH, longest_sql);
  sqlite3_limit(handle_.get(), SQLITE_LIMIT_VDBE_OP, longest_program);
  sqlite3_limit(handle_.get(), SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(handle_.get(), SQLITE_LIMIT_WORKER_THREADS, 0);
  for (const int setting : {SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                            SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_DQS_DML}) {
    sqlite3_db_config(handle_.get(), setting, 0, nullptr);
  }
  sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_drop_modules(handle_.get(), nullptr);
  // What is registered here comes before what SQLite has itself. One operation of the machine may
  // call a function that works for seconds.
  std::vector<std::pair<std::string, int>> functions;  // with the number of their arguments
  auto rows = prepare("PRAGMA function_list");
  while (rows.step()) {
    std::string name(rows.text(0));
    if (std::find(own_functions.begin(), own_functions.end(), name) != own_functions.end())
      continue;
    functions.emplace_back(std::move(name), static_cast<int>(rows.integer(4)));
  }
  for (const auto& [name, arguments] : functions) {
    sqlite3_create_function(handle_.get(), name.c_str(), arguments,
                            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
                            refuse_function, nullptr, nullptr);
  }
}

// A defended database has no writable schema, and only with one does SQLite go on where a table's
// description is damaged. The connection cannot write in either case.
void Database::allow_damage() {
  KR_CHECK(mode_ != Mode::write);
  damage_allowed_ = true;
  sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
  sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
}

void Database::limit_values(int bytes) {
  longest_value_ = bytes;
  sqlite3_limit(handle_.get(), SQLITE_LIMIT_LENGTH, bytes);
}

void Database::use_text(uint64_t bytes) const {
  if (!budget_) return;
  if (bytes > budget_->text_left) fail(SQLITE_INTERRUPT);
  budget_->text_left -= bytes;
}

Database Database::read(const std::string& path) {
  std::error_code failed;
  std::string location = std::filesystem::absolute(path, failed).string();
  if (failed) location = path;
  // SQLite reads what is beside it as well.
  for (const char* beside : {"", "-wal", "-journal"}) InputFiles::note(path + beside);
  Database database(std::move(location), path, Mode::read);
  // The file is looked into only at the first statement. A database in WAL mode wants a `-shm` file
  // beside it, which a folder without write permission refuses; where there is no log to read,
  // nothing is lost without it.
  const int code = sqlite3_exec(database.handle_.get(), "SELECT count(*) FROM sqlite_master",
                                nullptr, nullptr, nullptr);
  const int primary = code & 0xff;
  if ((primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY) && !has_write_ahead_log(path)) {
    database.handle_.reset();
    database.open(true);
  } else if (code != SQLITE_OK && primary != SQLITE_CORRUPT) {
    database.fail(code);  // damage is met, and judged, by what reads it
  }
  return database;
}

Database Database::read_private(const std::string& location, std::string path) {
  return {std::filesystem::absolute(location).string(), std::move(path), Mode::unshared};
}

Database Database::write(const std::string& location, std::string path) {
  if (path.empty()) path = location;
  return {std::filesystem::absolute(location).string(), std::move(path), Mode::write};
}

Database Database::again() const {
  Database other = mode_ == Mode::read ? read(path_) : Database(location_, path_, mode_);
  if (damage_allowed_) other.allow_damage();
  if (longest_value_) other.limit_values(*longest_value_);
  return other;
}

void Database::Close::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

void Database::check(int code) const {
  if (code != SQLITE_OK) fail(code);
}

void Database::fail(int code) const {
  const std::string text =
      handle_ != nullptr ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error(path_, "the database is locked by another program",
                  "wait until it is done, or read a copy");
    case SQLITE_CORRUPT:
      throw Error(path_, "the database is damaged or cut off (" + text + ")",
                  "export or save it again; --allow-truncated reads the complete part of a trace, "
                  "if its tables are found");
    case SQLITE_NOTADB:
      throw Error(path_, "is not an SQLite database, or a damaged one (" + text + ")",
                  "copy or export it again");
    case SQLITE_CANTOPEN:
      if (mode_ != Mode::write && ::access(location_.c_str(), R_OK) != 0) {
        throw cannot_read(path_, errno);
      }
      throw Error(path_, "the database cannot be opened (" + text + ")",
                  "check that the file exists and is readable");
    case SQLITE_INTERRUPT:
      throw Error(path_,
                  fmt::format("the database is damaged or manipulated: reading it takes more "
                              "than a file of {} bytes can need",
                              budget_ ? budget_->size : 0),
                  "export the report again");
    case SQLITE_TOOBIG:
      throw Error(path_,
                  "the database is damaged or manipulated: a value is too long (" + text + ")",
                  "export the report again");
    default:
      throw Error(path_, "SQLite: " + text);
  }
}

Statement Database::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      &statement, nullptr);
  check(code);
  return {*this, statement};
}

bool Database::can_prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      &statement, nullptr);
  sqlite3_finalize(statement);
  return code == SQLITE_OK;
}

void Database::execute(const std::string& sql) const {
  check(sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr));
}

void Statement::Finalize::operator()(sqlite3_stmt* handle) const {
  sqlite3_finalize(handle);
}

bool Statement::step(bool* whole) {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  const bool damaged = (code & 0xff) == SQLITE_CORRUPT || code == SQLITE_IOERR_SHORT_READ;
  if (!damaged || whole == nullptr || !database_->damage_allowed_) {
    database_->fail(damaged ? SQLITE_CORRUPT : code);
  }
  *whole = false;
  return false;
}

void Statement::reset() {
  sqlite3_reset(handle_.get());
}

void Statement::bind(int parameter, int64_t value) {
  database_->check(sqlite3_bind_int64(handle_.get(), parameter, value));
}

void Statement::bind(int parameter, std::string_view text) {
  database_->check(sqlite3_bind_text64(handle_.get(), parameter, text.data(), text.size(),
                                       SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind_blob(int parameter, std::string_view bytes) {
  database_->check(
      sqlite3_bind_blob64(handle_.get(), parameter, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
}

void Statement::bind_real(int parameter, double value) {
  database_->check(sqlite3_bind_double(handle_.get(), parameter, value));
}

void Statement::bind_null(int parameter) {
  database_->check(sqlite3_bind_null(handle_.get(), parameter));
}

static_assert(SQLITE_INTEGER == 1 && SQLITE_FLOAT == 2 && SQLITE_TEXT == 3 && SQLITE_BLOB == 4 &&
              SQLITE_NULL == 5);

Statement::Type Statement::type(int column) const {
  return static_cast<Type>(sqlite3_column_type(handle_.get(), column));
}

void Statement::cells(std::span<Cell> out) const {
  int column = 0;
  for (Cell& cell : out) {
    // A connection is one thread's, so the value may be looked at without its lock.
    sqlite3_value* const value = sqlite3_column_value(handle_.get(), column++);
    cell.type = static_cast<Type>(sqlite3_value_type(value));
    cell.integer = cell.type == Type::integer ? sqlite3_value_int64(value) : 0;
  }
}

int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(handle_.get(), column);
}

std::optional<int64_t> Statement::whole_number(int column) const {
  switch (type(column)) {
    case Type::integer:
      return integer(column);
    case Type::real: {
      constexpr double beyond = 9223372036854775808.0;
      const double value = sqlite3_column_double(handle_.get(), column);
      if (!(value >= -beyond && value < beyond)) return std::nullopt;
      const auto whole = static_cast<int64_t>(value);
      return static_cast<double>(whole) == value ? std::optional(whole) : std::nullopt;
    }
    case Type::text: {
      return integer_from(text(column));
    }
    case Type::blob:
    case Type::null:
      break;
  }
  return std::nullopt;
}

std::string_view Statement::text(int column) const {
  const void* const bytes = type(column) == Type::blob ? sqlite3_column_blob(handle_.get(), column)
                                                       : sqlite3_column_text(handle_.get(), column);
  const int size = sqlite3_column_bytes(handle_.get(), column);
  if (bytes == nullptr || size <= 0) return {};
  database_->use_text(static_cast<uint64_t>(size));
  return {static_cast<const char*>(bytes), static_cast<size_t>(size)};
}

std::string quoted(std::string_view name) {
  std::string out = "\"";
  for (const char byte : name) {
    if (byte == '"') out += '"';
    out += byte;
  }
  return out + "\"";
}

}  // namespace kr::sqlite
