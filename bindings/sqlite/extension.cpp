// A loadable extension of SQLite: labels of names in any database, and traces as tables.
//
//   SELECT load_extension('kr');
//   SELECT kr_label(name, 'substage'), count(*) FROM kernels GROUP BY 1;
//   SELECT kr_label(name, 'substage', 'vllm', 'llama'), kr_rule(name) FROM kernels;
//   SELECT name, sum(duration_ns) FROM kr_operations('trace.json.gz') GROUP BY 1;
//
// docs/library.md describes the functions. What reads files (rules, traces) is refused in views,
// triggers and the schema: a database may be somebody else's.
#include "extension.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>

SQLITE_EXTENSION_INIT1

namespace kr_sqlite {
namespace {

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

}  // namespace

std::string_view text_of(sqlite3_value* value) {
  // A text may be UTF-16 in the database; what is made UTF-8 has its size afterwards.
  const void* bytes = sqlite3_value_type(value) == SQLITE_BLOB
                          ? sqlite3_value_blob(value)
                          : static_cast<const void*>(sqlite3_value_text(value));
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes), static_cast<size_t>(sqlite3_value_bytes(value))};
}

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
