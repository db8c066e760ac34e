#include "saved/codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/own_output.hpp"
#include "compute/all_facts.hpp"
#include "facts/fields.hpp"
#include "kr/render.hpp"

namespace kr::saved {
namespace {

using facts::Facts;
using facts::FieldFile;
using facts::Fields;
using facts::Id;

constexpr const char* save_again = "save the run again with `kr report RUN --save FILE.krun`";

/// A fact that a run cannot have.
struct Absent {
  std::string fact;
  std::string why;
};

/// The saved form of a fact. `save` is null: it has none.
struct Form {
  const char* name = "";
  void (*save)(Fields& io, const char* name, const analyze::RunSummary& run, Facts& facts,
               const std::vector<Absent>& absent) = nullptr;
};

template <class Fact>
constexpr Form form_of(const char* name) {
  static_assert(
      requires { sizeof(Fact); }, "all_facts.hpp has its definition");
  Form form{name};
  if constexpr (requires(Fact & fact, Fields & io, const analyze::RunSummary& run) {
                  fact.saved(io, run);
                }) {
    form.save = [](Fields& io, const char* table, const analyze::RunSummary& run, Facts& facts,
                   const std::vector<Absent>& absent) {
      std::shared_ptr<const Fact> known = facts.share<Fact>();
      io.rows(table, known != nullptr ? 1 : 0, [&](Fields& row, size_t) {
        // What is written stays as it is.
        if (row.writes()) return const_cast<Fact&>(*known).saved(row, run);
        row.check(known == nullptr);
        Fact fact;
        fact.saved(row, run);
        known = std::make_shared<const Fact>(std::move(fact));
      });
      if (!io.reads()) return;
      if (known != nullptr) return facts.set<Fact>(std::move(known));
      const auto why =
          std::ranges::find_if(absent, [&](const auto& one) { return one.fact == table; });
      if (why == absent.end()) io.refuse(fmt::format("does not contain `{}`", table));
      facts.set(facts::Computed<Fact>::absent(why->why));
    };
  }
  return form;
}

constexpr std::array<Form, facts::fact_count> forms{
#define KR_FACT(space, type, name) form_of<space::type>(#type),
#define KR_RESULT(space, type, name) Form{},
#include "facts/facts.def"
#undef KR_FACT
#undef KR_RESULT
};

constexpr facts::Set all_saved = [] {
  auto set = facts::Set::of<analyze::RunSummary>();
  for (size_t i = 0; i < forms.size(); ++i) {
    if (forms[i].save != nullptr) set.add(static_cast<Id>(i));
  }
  return set;
}();

/// Declares, writes or reads a run with some of its facts.
void save_run(FieldFile& file, facts::Set which, analyze::RunSummary& summary, Facts& facts) {
  Fields io(file);
  size_t summaries = 0;
  io.rows("RunSummary", 1, [&](Fields& row, size_t) {
    summary.saved(row);
    ++summaries;
  });
  io.check(summaries == 1);
  std::vector<Absent> absent;
  all_saved.each([&](Id id) {
    const std::string& why = facts.why_absent(id);
    if (!why.empty()) absent.push_back({forms[static_cast<size_t>(id)].name, why});
  });
  io.list("absent", absent, [](Fields& row, Absent& one) {
    row.text("fact", one.fact);
    row.text("why", one.why);
  });
  which.each([&](Id id) {
    const Form& form = forms[static_cast<size_t>(id)];
    if (form.save != nullptr) form.save(io, form.name, summary, facts, absent);
  });
}

void declare(FieldFile& file) {
  analyze::RunSummary summary;
  Facts facts;
  save_run(file, all_saved, summary, facts);
}

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
         number_at(version_at) == version &&
         number_at(application_at) == render::sqlite_application_id;
}

/// SQLite reads no file of this version that is damaged.
sqlite::Database open_undamaged(const std::string& path) {
  if (is_current(read_head(path)) && !has_valid_checksum(path)) {
    throw Error(path, "is damaged or cut off: its checksum does not match its content", save_again);
  }
  sqlite::Database database = sqlite::Database::read(path);
  const auto number = [&](const char* pragma) {
    sqlite::Statement row = database.prepare(pragma);
    return row.step() ? row.integer(0) : 0;
  };
  if (number("PRAGMA application_id") != render::sqlite_application_id) {
    throw Error(path, "is not a saved run", save_again);
  }
  if (const int64_t found = number("PRAGMA user_version"); found != version) {
    throw Error(path,
                fmt::format("was saved by another version of kr: the file has version {}, this "
                            "program reads {}",
                            found, version),
                save_again);
  }
  return database;
}

}  // namespace

facts::Set saved_facts() noexcept {
  return all_saved - facts::Set::of<changes::TreeTimes>();
}

bool names_saved_run(std::string_view path) {
  return path.ends_with(".krun");
}

void check_name(const std::string& path) {
  if (names_saved_run(path)) return;
  throw Error(path, "is not the name of a saved run", "let it end in .krun");
}

Writer::Writer(const std::string& location, const std::string& path)
    : location_(location), path_(path) {
  auto database = sqlite::Database::write(location, path);
  // The file is nobody's until it is renamed, so a half-written one may be lost. There are many
  // small tables.
  database.execute(
      fmt::format("PRAGMA page_size = 1024; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                  "PRAGMA locking_mode = EXCLUSIVE; PRAGMA application_id = {}; "
                  "PRAGMA user_version = {}; BEGIN;",
                  render::sqlite_application_id, version));
  file_ =
      std::make_unique<FieldFile>(std::move(database), FieldFile::Mode::write, save_again, declare);
}

Writer::~Writer() = default;

void Writer::add(const analyze::RunSummary& summary, const Facts& facts) {
  file_->begin_run(runs_++);
  // What is written stays as it is.
  save_run(*file_, all_saved, const_cast<analyze::RunSummary&>(summary), const_cast<Facts&>(facts));
}

void Writer::finish() {
  file_->database().execute("COMMIT");
  file_.reset();
  append_checksum(location_, path_);
}

Reader::Reader(const std::string& path)
    : path_(path),
      file_(std::make_unique<FieldFile>(open_undamaged(path), FieldFile::Mode::read, save_again,
                                        declare)) {}

Reader::~Reader() = default;
Reader::Reader(Reader&& other) noexcept = default;
Reader& Reader::operator=(Reader&& other) noexcept = default;

void Reader::refuse(const std::string& why) const {
  file_->refuse(why);
}

size_t Reader::runs() const {
  constexpr const char* last = "SELECT run FROM RunSummary ORDER BY rowid DESC LIMIT 1";
  if (!file_->database().can_prepare(last)) refuse("has no table `RunSummary`");
  sqlite::Statement row = file_->database().prepare(last);
  if (!row.step() || row.integer(0) < 0) refuse("has no runs");
  return static_cast<size_t>(row.integer(0)) + 1;
}

bool Reader::has_module_trees() const {
  constexpr const char* any = "SELECT run FROM TreeTimes LIMIT 1";
  if (!file_->database().can_prepare(any)) refuse("has no table `TreeTimes`");
  return file_->database().prepare(any).step();
}

SavedRun Reader::read(size_t run, facts::Set wanted) {
  SavedRun out;
  file_->begin_run(static_cast<int64_t>(run));
  save_run(*file_, wanted, out.summary, out.facts);
  return out;
}

}  // namespace kr::saved
