// The codes of diagnostics, from codes.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kr::diag {

enum class Severity : uint8_t { info, warning, error, retired };

std::string_view to_string(Severity severity) noexcept;

/// A row of codes.def.
struct CodeInfo {
  std::string_view id;  // KR204
  std::string name;     // unknown-label
  Severity severity;
  int arguments;
  std::string_view message;  // an fmt format string
};

enum class CodeRow : size_t {
#define KR_CODE(id, symbol, severity, arguments, message) symbol,
#include "diag/codes.def"
#undef KR_CODE
};
const CodeInfo* code_info(CodeRow row);

/// The number of arguments of a code is part of its type: a call with another number does not
/// compile.
template <int N>
struct Code {
  CodeRow row;
  const CodeInfo* info() const { return code_info(row); }
};

/// All rows, in the order of codes.def.
const std::vector<CodeInfo>& all_codes();
/// Finds a code by id or name; null if there is none.
const CodeInfo* find_code(std::string_view id_or_name);
/// The message of a code with `…` for each argument.
std::string description(const CodeInfo& info);

namespace code {
#define KR_CODE(id, symbol, severity, arguments, message) \
  inline constexpr Code<arguments> symbol{CodeRow::symbol};
#include "diag/codes.def"
#undef KR_CODE
}  // namespace code

}  // namespace kr::diag
