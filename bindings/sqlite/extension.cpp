// A loadable extension of SQLite: labels of names in any database, and traces as tables.
//
//   SELECT load_extension('kr');
//   SELECT kr_label(name, 'substage'), count(*) FROM kernels GROUP BY 1;
//   SELECT kr_label(name, 'substage', 'vllm', 'llama'), kr_rule(name) FROM kernels;
//   SELECT name, sum(duration_ns) FROM kr_operations('trace.json.gz') GROUP BY 1;
//
// docs/library.md describes the functions. What reads files (rules, traces) is refused in views,
// triggers and the schema: a database may be somebody else's.
#include <sqlite3ext.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/session_rows.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"

SQLITE_EXTENSION_INIT1

// Its calls go to the SQLite that loads the extension.
#include "session/virtual_table.hpp"

namespace kr_sqlite {
namespace {

using kr::session::text_of;

/// The shipped rules, loaded when something first needs them.
class SharedRules {
 public:
  /// Throws kr::Error.
  const kr::Rules& get() {
    if (!rules_) rules_ = kr::Rules::load();
    return *rules_;
  }

 private:
  std::optional<kr::Rules> rules_;
};
using Shared = std::shared_ptr<SharedRules>;

/// The name and up to three words: dimension, engine, model.
struct Query {
  std::string_view name;
  std::string_view words[3];
};
using Answer = std::optional<std::string>;  // none: NULL

Answer label_of(SharedRules& rules, const Query& query) {
  return rules.get().label(query.name, query.words[0], query.words[1], query.words[2]);
}

Answer rule_of(SharedRules& rules, const Query& query) {
  const auto rule =
      rules.get().rule(query.name, query.words[0].empty() ? "substage" : query.words[0],
                       query.words[1], query.words[2]);
  if (!rule) return std::nullopt;
  return rule->text.empty() ? rule->place : rule->place + ": " + rule->text;
}

Answer demangled(SharedRules&, const Query& query) {
  auto text = kr::demangled(query.name);
  return text ? std::move(*text) : std::string(query.name);
}

/// A function of names. Answers are kept: queries use few names, often.
class NameFunction {
 public:
  using Ask = Answer (*)(SharedRules&, const Query&);
  /// `needed`: so many arguments must not be NULL.
  NameFunction(Shared rules, Ask ask, int needed)
      : rules_(std::move(rules)), ask_(ask), needed_(needed) {}

  int needed() const noexcept { return needed_; }

  /// Valid until the next call. Throws kr::Error.
  const Answer& answer(const Query& query) {
    Answers& answers = answers_with(query.words);
    const auto known = answers.find(query.name);
    if (known != answers.end()) return known->second;
    Answer answer = ask_(*rules_, query);
    if (answers.size() >= max_answers) answers.clear();
    return answers.emplace(query.name, std::move(answer)).first->second;
  }

 private:
  static constexpr size_t max_answers = 1 << 16;
  static constexpr size_t max_words = 64;

  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Answers = std::unordered_map<std::string, Answer, Hash, std::equal_to<>>;

  /// Those for one dimension, engine and model: mostly the same as for the call before.
  Answers& answers_with(const std::string_view (&words)[3]) {
    const auto same = [&](const Kept& kept) {
      return kept.words[0] == words[0] && kept.words[1] == words[1] && kept.words[2] == words[2];
    };
    if (last_ < kept_.size() && same(kept_[last_])) return kept_[last_].answers;
    for (last_ = 0; last_ < kept_.size(); ++last_) {
      if (same(kept_[last_])) return kept_[last_].answers;
    }
    if (kept_.size() >= max_words) kept_.clear();
    last_ = kept_.size();
    return kept_
        .emplace_back(
            Kept{{std::string(words[0]), std::string(words[1]), std::string(words[2])}, {}})
        .answers;
  }

  struct Kept {
    std::string words[3];
    Answers answers;
  };
  Shared rules_;
  Ask ask_;
  int needed_;
  std::vector<Kept> kept_;
  size_t last_ = 0;
};

void call(sqlite3_context* context, int count, sqlite3_value** values) {
  auto* function = static_cast<NameFunction*>(sqlite3_user_data(context));
  try {
    for (int i = 0; i < count && i < function->needed(); ++i) {
      if (sqlite3_value_type(values[i]) == SQLITE_NULL) return sqlite3_result_null(context);
    }
    Query query;
    query.name = text_of(values[0]);
    for (int i = 1; i < count; ++i) query.words[i - 1] = text_of(values[i]);
    const Answer& answer = function->answer(query);
    if (!answer) return sqlite3_result_null(context);
    sqlite3_result_text64(context, answer->data(), answer->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
}

/// With `least` to `most` arguments. On failure too, SQLite deletes what it was given.
int add_function(sqlite3* database, const char* name, int least, int most, int flags,
                 NameFunction::Ask ask, const Shared& rules) {
  for (int count = least; count <= most; ++count) {
    const int code = sqlite3_create_function_v2(
        database, name, count, SQLITE_UTF8 | SQLITE_DETERMINISTIC | flags,
        new NameFunction(rules, ask, std::max(least, std::min(count, 2))), call, nullptr, nullptr,
        [](void* function) { delete static_cast<NameFunction*>(function); });
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

/// A table of a run with the columns of a function: the run has the dimensions of its own engine
/// and model, the function those of all.
class RunRows : public kr::session::NumberedRows {
 public:
  RunRows(kr::SessionRows run, const std::vector<std::string>& columns)
      : rows_(std::move(run.rows)) {
    std::unordered_map<std::string_view, size_t> places;
    for (size_t i = 0; i < run.columns.size(); ++i) places.emplace(run.columns[i].id, i);
    for (const std::string& column : columns) {
      const auto at = places.find(column);
      places_.push_back(at == places.end() ? std::nullopt : std::optional(at->second));
    }
  }
  void prepare() override { rows_->prepare(); }
  size_t size() const override { return rows_->size(); }
  kr::Cell cell(size_t row, size_t column) override {
    if (!places_[column]) return {};
    kr::Cell cell = rows_->cell(row, *places_[column]);
    const auto* text = std::get_if<std::string_view>(&cell);
    if (text == nullptr || kr::is_utf8(*text)) return cell;
    text_ = kr::utf8_text(*text);
    return text_;
  }

 private:
  std::shared_ptr<kr::session::NumberedRows> rows_;
  std::vector<std::optional<size_t>> places_;  // by column of the function
  std::string text_;
};

/// kr_operations('trace.json.gz'[, engine[, model]]), and the like.
class TraceFunction : public kr::session::VirtualRows {
 public:
  /// `tables`: what is read of a run, and last the table that is shown.
  TraceFunction(std::string name, std::vector<std::string> tables, Shared rules)
      : name_(std::move(name)), tables_(std::move(tables)), rules_(std::move(rules)) {}

  std::vector<kr::Column> columns() override {
    std::vector<kr::Column> columns = rules_->get().columns(tables_.back());
    // It is only for terminals.
    std::erase_if(columns, [](const kr::Column& one) { return one.role == kr::Role::short_form; });
    ids_.clear();
    for (const kr::Column& column : columns) ids_.push_back(column.id);
    return columns;
  }
  std::vector<std::string> arguments() const override { return {"path", "engine", "model"}; }
  std::shared_ptr<kr::session::NumberedRows> rows(
      const std::vector<std::string>& arguments) override {
    const std::string& path = arguments[0];
    if (path.empty()) {
      throw kr::Error("", name_ + " has no trace to read",
                      "name one: " + name_ + "('trace.sqlite')");
    }
    if (path == "-") throw kr::Error("", name_ + " cannot read standard input", "name a file");
    kr::Session session(rules_->get());
    session.add({.path = path, .engine = arguments[1], .model = arguments[2]});
    return std::make_shared<RunRows>(kr::SessionRows::of(session, tables_), ids_);
  }

 private:
  std::string name_;
  std::vector<std::string> tables_;
  Shared rules_;
  std::vector<std::string> ids_;  // of the columns
};

int add_table(sqlite3* database, const std::string& name, std::vector<std::string> tables,
              const Shared& rules) {
  return kr::session::add_virtual_table(
      database, name, std::make_unique<TraceFunction>(name, std::move(tables), rules));
}

}  // namespace
}  // namespace kr_sqlite

extern "C" __attribute__((visibility("default"))) int sqlite3_kr_init(
    sqlite3* database, char** error, const sqlite3_api_routines* api) {
  SQLITE_EXTENSION_INIT2(api);
  using namespace kr_sqlite;
  try {
    const auto rules = std::make_shared<SharedRules>();
    // kr_demangle only looks at its argument. The others read rules.
    int code = add_function(database, "kr_demangle", 1, 1, SQLITE_INNOCUOUS, demangled, rules);
    if (code == SQLITE_OK) {
      code = add_function(database, "kr_label", 2, 4, SQLITE_DIRECTONLY, label_of, rules);
    }
    if (code == SQLITE_OK) {
      code = add_function(database, "kr_rule", 1, 4, SQLITE_DIRECTONLY, rule_of, rules);
    }
    if (code == SQLITE_OK) code = add_table(database, "kr_operations", {"operations"}, rules);
    if (code == SQLITE_OK) code = add_table(database, "kr_notes", {"operations", "notes"}, rules);
    return code;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception& failure) {
    if (error != nullptr) *error = sqlite3_mprintf("%s", failure.what());
    return SQLITE_ERROR;
  }
}
