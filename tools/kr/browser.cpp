#include "browser.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.hpp"

namespace kr::cli {
namespace {

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// In PATH, or as a path.
bool is_program(const std::string& name) {
  if (name.find('/') != name.npos) return ::access(name.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  for (const std::string& folder : parts_of(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    if (::access((std::filesystem::path(folder) / name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

/// The words of the command; no shell sees them. Empty: no browser was found.
std::vector<std::string> browser_command(const std::string& page) {
  const char* chosen = std::getenv("BROWSER");
  std::vector<std::string> commands = parts_of(chosen != nullptr ? chosen : "", ':');
  for (const char* usual : {"wslview", "xdg-open", "open"}) commands.emplace_back(usual);
  for (const std::string& command : commands) {
    std::vector<std::string> words = parts_of(command, ' ');
    if (words.empty() || !is_program(words[0])) continue;
    bool placed = false;
    for (std::string& word : words) {
      const size_t at = word.find("%s");
      if (at == word.npos) continue;
      word.replace(at, 2, page);
      placed = true;
    }
    if (!placed) words.push_back(page);
    return words;
  }
  return {};
}

/// Starts a program with a session of its own and nothing to read or write.
pid_t started(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  // kr blocks and ignores signals that a browser has to get.
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  for (const int one : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP}) sigaddset(&usual, one);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &usual);
  posix_spawnattr_setflags(&how,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  pid_t process = -1;
  const int error = ::posix_spawnp(&process, arguments[0], &files, &how, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  if (error != 0) throw Error(words[0], std::strerror(error), "set BROWSER to another program");
  return process;
}

}  // namespace

std::filesystem::path new_temporary_folder() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) folder = "/tmp";
  std::string name = (folder / "kr-report-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(folder.string(),
                fmt::format("no folder can be made here: {}", std::strerror(errno)),
                "name a file with -o, or set TMPDIR");
  }
  return name;
}

void open_in_browser(const std::filesystem::path& page) {
  const std::string path = std::filesystem::absolute(page).string();
  const std::vector<std::string> words = browser_command(path);
  if (words.empty()) {
    throw Error("", "no browser was found to open the page",
                fmt::format("open {} yourself, or set BROWSER to a program", path));
  }
  const pid_t process = started(words);
  int status = 0;
  for (int tenth = 0; tenth < 10; ++tenth) {
    const pid_t ended = ::waitpid(process, &status, WNOHANG);
    if (ended == process) {
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
      throw Error(words[0], "the browser failed",
                  fmt::format("open {} yourself, or set BROWSER to another program", path));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace kr::cli
