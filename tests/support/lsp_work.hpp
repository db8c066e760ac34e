// The work of a language server, on this thread.
#pragma once

#include "lsp/server.hpp"

namespace kr::test {

/// Checks one document. Returns the messages to send.
inline std::vector<std::string> work(lsp::Server& server) {
  std::optional<lsp::Check> check;
  std::vector<std::string> all = server.begin_work(check);
  if (!check) return all;
  check->run();
  for (std::string& one : server.finish_work(std::move(*check))) all.push_back(std::move(one));
  return all;
}

}  // namespace kr::test
