// Names of kernels as people read them. A name of a template has hundreds of characters, and two of
// them may differ in one: the parts in which the names of a table differ stay visible.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kr::text {

/// A name without what seldom identifies kernels: demangled; without return type, parameter lists,
/// casts and the suffixes of numbers; without the namespaces that most kernels of a library have,
/// such as `at::native` and anonymous ones. A name that is not of C++ or Rust is as it was.
/// Printable.
std::string short_name(std::string_view name);

/// The same for the names of one table, by place. If two names had one short form, they keep
/// parameter lists, then namespaces, and at last are as they are in the trace: so distinct names
/// have distinct texts. `names` are distinct.
std::vector<std::string> short_names(std::span<const std::string_view> names);

/// Where a text goes on after what it has in common with others of the table: the places at which
/// `cut_name` may leave something out before. Ascending; none for most texts. So chosen that the
/// texts still differ once they are cut to `width` characters.
using NameParts = std::vector<size_t>;
std::vector<NameParts> name_parts(std::span<const std::string> texts, size_t width);

/// `texts` in at most `width` columns each (0: no limit), by place; `…` replaces what is left
/// out. Common beginnings are shortened first. Distinct texts stay distinct; if no cut shows the
/// difference, they end with `…2`, `…3`. Only a width that has no room for this number makes two of
/// them equal.
std::vector<std::string> cut_names(std::span<const std::string> texts, size_t width);

}  // namespace kr::text
