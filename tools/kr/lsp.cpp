// kr lsp: the language server, for editors.
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

#include "base/error.hpp"
#include "lsp/check.hpp"
#include "lsp/framing.hpp"
#include "lsp/server.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

bool input_waits() {
  pollfd in{STDIN_FILENO, POLLIN, 0};
  return poll(&in, 1, 0) > 0;
}

/// Waits for input or for a check to be done. Whether there is input.
bool wait(const lsp::Worker& worker) {
  std::array<pollfd, 2> all{pollfd{STDIN_FILENO, POLLIN, 0},
                            pollfd{worker.descriptor(), POLLIN, 0}};
  while (poll(all.data(), all.size(), -1) < 0) {
    if (errno != EINTR) throw Error("standard input", "cannot be read");
  }
  return all[0].revents != 0;
}

/// False at the end of the input.
bool read_some(lsp::Framer& framer) {
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count > 0) {
      framer.feed({buffer.data(), static_cast<size_t>(count)});
      return true;
    }
    if (count == 0) return false;
    if (errno != EINTR) throw Error("standard input", "cannot be read");
  }
}

void send(const std::vector<std::string>& messages, Streams& streams) {
  for (const std::string& message : messages) streams.out(lsp::framed(message));
  if (!messages.empty()) streams.finish();
}

Exit serve(Streams& streams) {
  lsp::Server server(own_library(), KR_VERSION);
  lsp::Worker worker;
  lsp::Framer framer;
  while (true) {
    while (const auto message = framer.next()) {
      send(message->broken.empty() ? server.receive(message->body) : server.broken(message->broken),
           streams);
      if (const auto status = server.exit_status()) {
        return *status == 0 ? Exit::done : Exit::findings;
      }
    }
    // What has come in meanwhile is read first: of many changes only the last is checked.
    if (auto check = worker.finished()) send(server.finish_work(std::move(*check)), streams);
    if (server.has_work() && !input_waits()) {
      std::optional<lsp::Check> check;
      send(server.begin_work(check), streams);
      if (check) worker.start(std::move(*check));
      continue;
    }
    if (wait(worker) && !read_some(framer)) throw Error("standard input", "ended without `exit`");
  }
}

Action setup_lsp(CLI::App& app) {
  auto always = std::make_shared<bool>(true);
  app.add_flag("--stdio", *always, "Use standard input and output (always the case)");
  return [always](Streams& streams) { return serve(streams); };
}

}  // namespace

const Verb lsp_verb{"lsp", "run the language server for editors", "kr lsp", setup_lsp, "Setup"};

}  // namespace kr::cli
