#include "lsp/rpc.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/error.hpp"
#include "base/integer.hpp"

namespace kr::lsp {
namespace {

/// Editors that count in UTF-16 may send half of a surrogate pair as an escape (`\ud800`). It
/// becomes U+FFFD, which has the same length in UTF-16.
std::string without_lone_surrogates(std::string_view json) {
  std::string out(json);
  const auto escape_at = [&](size_t at) -> unsigned {
    if (at + 6 > out.size() || out[at] != '\\' || out[at + 1] != 'u') return 0;
    return integer_from<uint16_t>(std::string_view(out).substr(at + 2, 4), 16).value_or(0);
  };
  for (size_t at = 0; at + 1 < out.size(); ++at) {
    if (out[at] != '\\') continue;
    const unsigned unit = escape_at(at);
    if (unit < 0xd800 || unit > 0xdfff) {
      ++at;
      continue;
    }
    const unsigned behind = escape_at(at + 6);
    if (unit < 0xdc00 && behind >= 0xdc00 && behind <= 0xdfff) {
      at += 11;
      continue;
    }
    out.replace(at, 6, "\\ufffd");
    at += 5;
  }
  return out;
}

JsonValue parsed(std::string_view body) {
  try {
    return parse_json(without_lone_surrogates(body), "");
  } catch (const Error& error) {
    throw RequestError(ErrorCode::parse_error, error.why());
  }
}

std::string envelope(const Fill& fill) {
  std::string out;
  Writer writer(out);
  writer.open('{');
  writer.key("jsonrpc").text("2.0");
  fill(writer);
  writer.close('}');
  return out;
}

uint32_t count_of(const JsonValue& object, std::string_view key) {
  const JsonValue& value = member(object, key);
  if (value.kind != JsonValue::Kind::integer || value.integer < 0) {
    throw RequestError(ErrorCode::invalid_params, fmt::format("`{}` is not a count from 0", key));
  }
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  return static_cast<uint32_t>(std::min(value.integer, most));
}

}  // namespace

std::string id_text(const JsonValue& id) {
  if (id.kind == JsonValue::Kind::integer) return std::to_string(id.integer);
  if (id.kind == JsonValue::Kind::string) return json_string(id.string);
  throw RequestError(ErrorCode::invalid_request, "`id` is neither a string nor a whole number");
}

std::optional<Message> read_message(std::string_view body, std::string& id) {
  id = "null";
  JsonValue value = parsed(body);
  if (value.kind != JsonValue::Kind::object) {
    throw RequestError(ErrorCode::invalid_request,
                       fmt::format("a message is an object, not {}", to_string(value.kind)));
  }
  Message message;
  const JsonValue* version = value.find("jsonrpc");
  const JsonValue* method = value.find("method");
  const JsonValue* found = value.find("id");
  if (found != nullptr && !(method == nullptr && found->kind == JsonValue::Kind::null)) {
    id = message.id = id_text(*found);
  }
  if (version == nullptr || version->string != "2.0") {
    throw RequestError(ErrorCode::invalid_request, "`jsonrpc` is not \"2.0\"");
  }
  if (method == nullptr && (value.find("result") != nullptr || value.find("error") != nullptr)) {
    return std::nullopt;
  }
  if (method == nullptr || method->kind != JsonValue::Kind::string) {
    throw RequestError(ErrorCode::invalid_request, "`method` is not a string");
  }
  message.method = method->string;
  for (JsonMember& one : value.members) {
    if (one.key != "params") continue;
    message.params = std::move(one.value);
    break;
  }
  return message;
}

std::string answer(std::string_view id, const Fill& result) {
  return envelope([&](Writer& writer) {
    writer.key("id").number(id);
    writer.key("result");
    result(writer);
  });
}

std::string error_answer(std::string_view id, ErrorCode code, std::string_view message) {
  return envelope([&](Writer& writer) {
    writer.key("id").number(id);
    writer.key("error").open('{');
    writer.key("code").number(static_cast<int>(code));
    writer.key("message").text(message);
    writer.close('}');
  });
}

std::string notification(std::string_view method, const Fill& params) {
  return envelope([&](Writer& writer) {
    writer.key("method").text(method);
    writer.key("params");
    params(writer);
  });
}

const JsonValue& member(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  if (value == nullptr) {
    throw RequestError(ErrorCode::invalid_params, fmt::format("`{}` is missing", key));
  }
  return *value;
}

const std::string& string_member(const JsonValue& object, std::string_view key) {
  const JsonValue& value = member(object, key);
  if (value.kind != JsonValue::Kind::string) {
    throw RequestError(ErrorCode::invalid_params, fmt::format("`{}` is not a string", key));
  }
  return value.string;
}

Place place_of(const JsonValue& value) {
  return {count_of(value, "line"), count_of(value, "character")};
}

Range range_of(const JsonValue& value) {
  const Range range{place_of(member(value, "start")), place_of(member(value, "end"))};
  if (range.end < range.begin) {
    throw RequestError(ErrorCode::invalid_params, "a range ends before it begins");
  }
  return range;
}

}  // namespace kr::lsp
