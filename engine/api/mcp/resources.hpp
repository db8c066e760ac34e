// Documents that a client can read: how to answer the six questions, what words mean, tables,
// checks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lsp/rpc.hpp"

namespace kr::mcp {

/// The members of the results of `resources/list` and `resources/templates/list`.
void list_resources(lsp::Writer& writer);
void list_templates(lsp::Writer& writer);
/// Markdown; none: there is no such resource. `data_folder` has the skill.
std::optional<std::string> resource(std::string_view uri, const std::string& data_folder);

}  // namespace kr::mcp
