#include "base/json_read.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace kr {
namespace {

namespace od = simdjson::ondemand;

/// What is wrong, in the words of this program.
std::string_view said(simdjson::error_code error) {
  switch (error) {
    case simdjson::EMPTY:
      return "it is empty";
    case simdjson::UNCLOSED_STRING:
      return "a string is not closed";
    case simdjson::STRING_ERROR:
      return "a string contains an invalid escape, or half a character";
    case simdjson::UNESCAPED_CHARS:
      return "a string contains a control byte that is not escaped";
    case simdjson::NUMBER_ERROR:
      return "a number is not valid JSON";
    case simdjson::T_ATOM_ERROR:
    case simdjson::F_ATOM_ERROR:
    case simdjson::N_ATOM_ERROR:
      return "a word that is neither `true`, `false` nor `null`";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return "an object or array is not closed";
    case simdjson::CAPACITY:
    case simdjson::MEMALLOC:
      return "it does not fit in memory";
    default:
      return "a comma, colon, value or closing bracket is missing or out of place";
  }
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& path) : path_(path), text_(text) {
    if (text_.starts_with(byte_order_mark)) {
      skipped_ = 3;
      text_.remove_prefix(3);
    }
  }

  JsonValue read() {
    check_utf8();
    padded_ = simdjson::padded_string(text_);
    od::document document;
    if (const auto error = parser_.iterate(padded_).get(document)) fail(error, std::nullopt);
    document_ = &document;
    JsonValue whole = top(document);
    if (whole.kind == JsonValue::Kind::null) {
      // A lone null is not stepped over.
      const size_t end = whole.begin - skipped_ + 4;
      const size_t behind = text_.find_first_not_of(" \t\r\n", end);
      if (behind != text_.npos) fail_at(behind, "there is text after the end of the value");
      return whole;
    }
    // Behind the last token there is no location.
    const char* behind = nullptr;
    if (document.current_location().get(behind) == simdjson::SUCCESS) {
      fail_at(offset(document), "there is text after the end of the value");
    }
    return whole;
  }

 private:
  void check_utf8() {
    const size_t end = utf8_end(text_);
    if (end < text_.size()) fail_at(end, "these bytes are not UTF-8");
  }

  JsonValue top(od::document& document) {
    od::json_type type{};
    if (const auto error = document.type().get(type)) fail(error, std::nullopt);
    if (type == od::json_type::array || type == od::json_type::object) {
      od::value value;
      if (const auto error = document.get_value().get(value)) fail(error, std::nullopt);
      return read(value, 1);
    }
    std::string_view token;
    if (const auto error = document.raw_json_token().get(token)) fail(error, std::nullopt);
    return scalar(document, type, token);
  }

  JsonValue read(od::value value, int depth) {
    od::json_type type{};
    if (const auto error = value.type().get(type)) fail(error, value);
    const std::string_view token = value.raw_json_token();
    if (type != od::json_type::array && type != od::json_type::object) {
      return scalar(value, type, token);
    }
    JsonValue result;
    result.begin = offset(token);
    if (depth > max_json_depth) {
      fail_at(result.begin - skipped_,
              fmt::format("objects and arrays are nested more than {} deep", max_json_depth));
    }
    if (type == od::json_type::array) {
      result.kind = JsonValue::Kind::array;
      od::array array;
      if (const auto error = value.get_array().get(array)) fail(error, std::nullopt);
      for (auto item : array) {
        od::value inner;
        if (const auto error = item.get(inner)) fail(error, std::nullopt);
        result.items.push_back(read(inner, depth + 1));
      }
      return result;
    }
    result.kind = JsonValue::Kind::object;
    od::object object;
    if (const auto error = value.get_object().get(object)) fail(error, std::nullopt);
    for (auto field : object) {
      if (const auto error = field.error()) fail(error, std::nullopt);
      JsonMember member;
      const char* raw = field.key().value_unsafe().raw();
      member.key_begin = offset({raw - 1, 1});
      std::string_view key;
      if (const auto error = field.unescaped_key().get(key)) {
        fail_at(member.key_begin - skipped_, said(error));
      }
      member.key = key;
      od::value inner;
      if (const auto error = field.value().get(inner)) fail(error, std::nullopt);
      member.value = read(inner, depth + 1);
      result.members.push_back(std::move(member));
    }
    return result;
  }

  template <class Value>
  JsonValue scalar(Value& value, od::json_type type, std::string_view token) {
    JsonValue result;
    result.begin = offset(token);
    const auto check = [&](simdjson::error_code error) {
      if (error) fail_at(result.begin - skipped_, said(error));
    };
    switch (type) {
      case od::json_type::string: {
        result.kind = JsonValue::Kind::string;
        std::string_view text;
        check(value.get_string().get(text));
        result.string = text;
        break;
      }
      case od::json_type::boolean:
        result.kind = JsonValue::Kind::boolean;
        check(value.get_bool().get(result.boolean));
        // Of a lone value only the head is looked at.
        if (word(token) != "true" && word(token) != "false") check(simdjson::T_ATOM_ERROR);
        break;
      case od::json_type::number:
        check(value.get_double().get(result.number));
        result.kind = JsonValue::Kind::number;
        if (value.get_int64().get(result.integer) == simdjson::SUCCESS) {
          result.kind = JsonValue::Kind::integer;
        }
        break;
      default: {
        // `is_null` says no to any other word that begins with an n.
        if (word(token) != "null") check(simdjson::N_ATOM_ERROR);
        (void)value.is_null();  // steps over it
        break;
      }
    }
    return result;
  }

  static std::string_view word(std::string_view token) {
    return token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
  }

  uint64_t offset(std::string_view token) const {
    return static_cast<uint64_t>(token.data() - padded_.data()) + skipped_;
  }
  size_t offset(od::document& document) const {
    const char* place = nullptr;
    if (document.current_location().get(place)) return text_.size();
    return std::min(static_cast<size_t>(place - padded_.data()), text_.size());
  }

  [[noreturn]] void fail(simdjson::error_code error, std::optional<od::value> value) {
    size_t at = 0;
    if (value) {
      at = static_cast<size_t>(offset(value->raw_json_token()) - skipped_);
    } else if (document_ != nullptr && error != simdjson::INCOMPLETE_ARRAY_OR_OBJECT) {
      at = offset(*document_);
    } else if (error == simdjson::INCOMPLETE_ARRAY_OR_OBJECT) {
      at = text_.size();
    }
    fail_at(at, said(error));
  }
  [[noreturn]] void fail_at(size_t at, std::string_view why) {
    const std::string_view before = text_.substr(0, at);
    const auto line = static_cast<uint64_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    throw Error(path_, Error::Place{line, at + skipped_}, fmt::format("this is not JSON: {}", why),
                "fix it there, or create the file again");
  }

  const std::string& path_;
  std::string_view text_;
  size_t skipped_ = 0;
  simdjson::padded_string padded_;
  od::parser parser_;
  od::document* document_ = nullptr;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  for (const JsonMember& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::string_view to_string(JsonValue::Kind kind) noexcept {
  constexpr std::array<std::string_view, 7> names{
      "null", "true or false", "a number", "a number", "a string", "a list", "an object"};
  return names[static_cast<size_t>(kind)];
}

JsonValue parse_json(std::string_view text, const std::string& path) {
  return Reader(text, path).read();
}

}  // namespace kr
