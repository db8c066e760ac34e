// The arguments of a tool: members of an object, each read once, with messages that name them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_read.hpp"

namespace kr::mcp {

class Arguments {
 public:
  /// `value` is an object, or null: no arguments. Throws Error.
  explicit Arguments(const JsonValue& value);

  // Throw Error if the value has another type.
  std::optional<std::string> text(std::string_view name);
  std::string required(std::string_view name);
  std::optional<int64_t> integer(std::string_view name);
  bool flag(std::string_view name);
  /// A text stands for a list of one.
  std::vector<std::string> texts(std::string_view name);

  /// Throws Error if there is an argument that no call asked for: a misspelled one would be
  /// ignored.
  void check_all_known() const;

 private:
  const JsonValue* find(std::string_view name, JsonValue::Kind kind, std::string_view what);
  const JsonValue* value_;
  std::set<std::string, std::less<>> asked_;
};

}  // namespace kr::mcp
