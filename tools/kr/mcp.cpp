// kr mcp: the Model Context Protocol, for agents.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "kr/kr.hpp"
#include "mcp/server.hpp"
#include "session.hpp"
#include "source/library.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct McpOptions {
  std::vector<std::string> roots;
  std::vector<std::string> rules;
  bool may_write = false;
  double max_gb = 8;
};

/// The next bytes; false at the end.
bool read_some(std::string& to) {
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count > 0) {
      to.append(buffer.data(), static_cast<size_t>(count));
      return true;
    }
    if (count == 0) return false;
    if (errno != EINTR) throw Error("standard input", "cannot be read");
  }
}

/// Lines to the server until the input ends.
void read_lines(mcp::Server& server) {
  std::string pending;
  bool too_long = false;
  while (read_some(pending)) {
    size_t begin = 0;
    for (size_t end; (end = pending.find('\n', begin)) != pending.npos; begin = end + 1) {
      if (!std::exchange(too_long, false)) {
        server.receive(std::string_view(pending).substr(begin, end - begin));
      }
    }
    pending.erase(0, begin);
    if (pending.size() > mcp::Server::max_line) {
      if (!too_long) server.refuse_line();
      too_long = true;
      pending.clear();
    }
  }
}

Exit serve(const McpOptions& options, Streams& streams) {
  const source::Library& library = own_library();
  const std::string data = library.install().folder.string();
  const Rules rules =
      Rules::load(options.rules, {.rules_folder = std::filesystem::path(data), .use_cache = true});
  mcp::Server server(rules,
                     {.roots = options.roots,
                      .may_write = options.may_write,
                      .max_bytes = static_cast<size_t>(options.max_gb * 1e9),
                      .data_folder = data},
                     [&](std::string_view message) {
                       streams.out(message);
                       streams.out("\n");
                       streams.finish();
                     });
  std::jthread worker([&] { server.work(); });
  try {
    read_lines(server);
  } catch (...) {
    server.close();
    throw;
  }
  server.close();
  return Exit::done;
}

void add_mcp_options(CLI::App& app, McpOptions& options) {
  app.add_option("--root", options.roots,
                 "A folder whose files clients may name, with all that is below it; repeatable "
                 "(default: the current folder)")
      ->type_name("FOLDER");
  app.add_option("--rules", options.rules,
                 "Rules files, or names of shipped rulesets (default: all shipped rulesets)")
      ->type_name("FILE|NAME");
  app.add_flag("--allow-write", options.may_write,
               "Clients may write new files below these folders: the tool `cut`");
  app.add_option("--max-memory", options.max_gb,
                 "Close the traces asked for longest ago while more GB than this are in use "
                 "(default: 8)")
      ->type_name("GB")
      ->check(positive_number());
}

}  // namespace

const Verb mcp_verb{"mcp", "answer agents by the Model Context Protocol", "kr mcp --root traces",
                    setup<McpOptions, add_mcp_options, serve>, "Setup"};

}  // namespace kr::cli
