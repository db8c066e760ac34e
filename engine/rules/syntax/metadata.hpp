// Metadata as it is shown: what a model does not say, its engine says, or the file.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/ast.hpp"

namespace kr::syntax {

/// `author`, `since` or `link`.
std::string_view to_string(MetadataKind kind);

/// The texts of the first list that has any of this kind. The lists are in the order of nearness:
/// of a model, of its engine, of the file.
std::vector<std::string_view> metadata_of(
    MetadataKind kind, std::initializer_list<const std::vector<Metadata>*> lists);

/// The least version of kr that reads the file, such as `0.2`; empty if it requires none.
std::string required_version(const File& file);

}  // namespace kr::syntax
