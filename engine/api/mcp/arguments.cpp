#include "mcp/arguments.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/nearest.hpp"

namespace kr::mcp {

Arguments::Arguments(const JsonValue& value) : value_(&value) {
  if (value.kind != JsonValue::Kind::object && value.kind != JsonValue::Kind::null) {
    throw Error("", fmt::format("`arguments` is {}, not an object", to_string(value.kind)));
  }
}

const JsonValue* Arguments::find(std::string_view name, JsonValue::Kind kind,
                                 std::string_view what) {
  asked_.emplace(name);
  const JsonValue* const value = value_->find(name);
  if (value == nullptr || value->kind == JsonValue::Kind::null) return nullptr;
  if (value->kind != kind) {
    throw Error("", fmt::format("`{}` is {}, not {}", name, to_string(value->kind), what));
  }
  return value;
}

std::optional<std::string> Arguments::text(std::string_view name) {
  const JsonValue* const value = find(name, JsonValue::Kind::string, "a string");
  return value != nullptr ? std::optional(value->string) : std::nullopt;
}

std::string Arguments::required(std::string_view name) {
  std::optional<std::string> value = text(name);
  if (!value) throw Error("", fmt::format("the argument `{}` is missing", name));
  return *std::move(value);
}

std::optional<int64_t> Arguments::integer(std::string_view name) {
  const JsonValue* const value = find(name, JsonValue::Kind::integer, "a whole number");
  return value != nullptr ? std::optional(value->integer) : std::nullopt;
}

bool Arguments::flag(std::string_view name) {
  const JsonValue* const value = find(name, JsonValue::Kind::boolean, "true or false");
  return value != nullptr && value->boolean;
}

std::vector<std::string> Arguments::texts(std::string_view name) {
  asked_.emplace(name);
  const JsonValue* const value = value_->find(name);
  if (value == nullptr || value->kind == JsonValue::Kind::null) return {};
  if (value->kind == JsonValue::Kind::string) return {value->string};
  if (value->kind != JsonValue::Kind::array) {
    throw Error("", fmt::format("`{}` is {}, not a list of strings", name, to_string(value->kind)));
  }
  std::vector<std::string> texts;
  for (const JsonValue& item : value->items) {
    if (item.kind != JsonValue::Kind::string) {
      throw Error("",
                  fmt::format("`{}` contains {}, not only strings", name, to_string(item.kind)));
    }
    texts.push_back(item.string);
  }
  return texts;
}

void Arguments::check_all_known() const {
  for (const JsonMember& member : value_->members) {
    if (asked_.contains(member.key)) continue;
    throw Error("", fmt::format("there is no argument `{}`", member.key),
                near_or_all(member.key, std::vector<std::string>(asked_.begin(), asked_.end())));
  }
}

}  // namespace kr::mcp
