// Which kernel of ncu is which of another profiler, by name. The tools spell one kernel in several
// ways: mangled or not, with or without namespaces, casts (`(int)4`), return type and parameters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kr::ncu {

/// How two names are equal; a strict way comes before a loose one.
enum class NameMatch : uint8_t {
  name,                // byte by byte
  demangled,           // after decoding a mangled name
  simplified,          // without namespaces, casts, `const` and punctuation
  without_parameters,  // the same, and without return type and parameters
  function,            // the function alone, if one of both names is nothing else
};
constexpr NameMatch all_name_matches[] = {NameMatch::name, NameMatch::demangled,
                                          NameMatch::simplified, NameMatch::without_parameters,
                                          NameMatch::function};
std::string_view to_string(NameMatch match) noexcept;

/// Two names are equal in one way if their keys are.
struct NameKeys {
  explicit NameKeys(std::string_view name);
  const std::string& key(NameMatch match) const;

  std::string name, demangled, simplified, without_parameters, function;
  bool is_function;  // the name is nothing else
};

}  // namespace kr::ncu
