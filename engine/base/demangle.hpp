// Names that compilers encode: of C++ (Itanium, `_Z…`) and of Rust (`_R…`, `_ZN…17h<hash>E`). They
// are decoded by libiberty, as `c++filt` does. This is the only place that uses it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kr {

/// Longer names are not decoded: the stack that libiberty needs grows with the name. The longest
/// names of composable_kernel have 2,000 bytes.
inline constexpr size_t longest_mangled = 4096;
/// Nor are names whose text would be longer: short names can have texts of any length.
inline constexpr size_t longest_demangled = size_t{1} << 16;

/// The text of a mangled name, with return type and parameters. Nothing if the name is not
/// mangled, not valid or over a limit. The text is UTF-8. Fit for several threads.
std::optional<std::string> demangled(std::string_view name);

}  // namespace kr
