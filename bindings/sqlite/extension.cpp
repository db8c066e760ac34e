// A loadable extension of SQLite: labels of names in any database.
//
//   SELECT load_extension('kr');
//   SELECT kr_label(name, 'substage'), count(*) FROM kernels GROUP BY 1;
//   SELECT kr_label(name, 'substage', 'vllm', 'llama') FROM kernels;
//
// kr_label(name, dimension[, engine[, model]]) is the label that the shipped rules give an
// operation with that name; without an engine or model it is detected from the name. NULL for NULL.
#include <sqlite3ext.h>

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "kr/kr.hpp"

SQLITE_EXTENSION_INIT1

namespace {

/// Rules are loaded by the first call. Labels are kept: queries ask for few names, often.
class LabelFunction {
 public:
  const std::string& label(const std::string (&words)[4]) {
    if (!rules_) rules_ = std::make_unique<kr::Rules>(kr::Rules::load());
    std::string key;
    for (const std::string& word : words) {
      key += std::to_string(word.size());
      key += ':';
      key += word;
    }
    const auto known = labels_.find(key);
    if (known != labels_.end()) return known->second;
    std::string label = rules_->label(words[0], words[1], words[2], words[3]);
    if (labels_.size() >= most_labels) labels_.clear();
    return labels_.emplace(std::move(key), std::move(label)).first->second;
  }

 private:
  static constexpr size_t most_labels = 1 << 16;
  std::unique_ptr<kr::Rules> rules_;
  std::unordered_map<std::string, std::string> labels_;
};

std::string text_of(sqlite3_value* value) {
  // Bytes are taken as they are: names need not be UTF-8.
  const void* bytes = sqlite3_value_blob(value);
  const auto size = static_cast<size_t>(sqlite3_value_bytes(value));
  return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
}

void call_label(sqlite3_context* context, int count, sqlite3_value** values) {
  try {
    std::string words[4];
    for (int i = 0; i < count; ++i) {
      if (i < 2 && sqlite3_value_type(values[i]) == SQLITE_NULL)
        return sqlite3_result_null(context);
      words[i] = text_of(values[i]);
    }
    auto* function = static_cast<LabelFunction*>(sqlite3_user_data(context));
    const std::string& label = function->label(words);
    sqlite3_result_text64(context, label.data(), label.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int sqlite3_kr_init(
    sqlite3* database, char** error, const sqlite3_api_routines* api) {
  SQLITE_EXTENSION_INIT2(api);
  (void)error;
  for (int count = 2; count <= 4; ++count) {
    // Not for the schema of a database: it may be somebody else's.
    const int code = sqlite3_create_function_v2(
        database, "kr_label", count, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
        new LabelFunction, call_label, nullptr, nullptr,
        [](void* function) { delete static_cast<LabelFunction*>(function); });
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}
