// The tools of the server.
#pragma once

#include <string>
#include <string_view>

#include "base/json_read.hpp"
#include "kr/kr.hpp"
#include "lsp/rpc.hpp"
#include "mcp/folders.hpp"
#include "mcp/traces.hpp"

namespace kr::mcp {

/// What tools have in common.
struct Context {
  const Folders& folders;
  Rules rules;
  OpenTraces& traces;
  bool may_write = false;
};

/// The members of the result of `tools/list`.
void list_tools(lsp::Writer& writer, bool may_write);
bool is_tool(std::string_view name, bool may_write);
/// The result, an object of JSON. The tool is known. Throws Error, also if an argument is wrong.
std::string call_tool(std::string_view name, const JsonValue& arguments, Context& context);

}  // namespace kr::mcp
