#include "mcp/traces.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/error.hpp"
#include "trace/open.hpp"

namespace kr::mcp {
namespace {

namespace fs = std::filesystem;

constexpr size_t max_runs = 4096;

std::vector<std::string> files_of(const std::vector<std::string>& names, const Folders& folders,
                                  std::string_view what) {
  if (names.empty()) throw Error("", fmt::format("the argument `{}` is missing", what));
  std::vector<std::string> files;
  for (const std::string& name : names) {
    const std::string path = folders.existing(name);
    std::vector<std::string> inside;
    if (fs::is_directory(path)) inside = trace::traces_in_folder(path);
    for (std::string& file : inside) file = folders.existing(file);
    if (inside.empty()) inside.push_back(path);
    files.insert(files.end(), inside.begin(), inside.end());
    if (files.size() > max_runs) throw Error(name, "there are too many traces", "name fewer");
  }
  return files;
}

/// Bytes of the process in memory.
size_t resident() {
  std::ifstream file("/proc/self/statm");
  size_t pages = 0, in_memory = 0;
  file >> pages >> in_memory;
  return in_memory * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

RunsAsked common(Arguments& arguments, const Folders& folders) {
  RunsAsked asked;
  asked.engine = arguments.text("engine").value_or("");
  asked.model = arguments.text("model").value_or("");
  SessionOptions& options = asked.options;
  options.window = arguments.text("window").value_or("");
  options.rank = arguments.text("rank").value_or("");
  options.gpu = arguments.text("gpu").value_or("");
  options.what_if = arguments.texts("what_if");
  for (const std::string& name : arguments.texts("references")) {
    options.references.push_back(folders.existing(name));
  }
  for (const std::string& name : arguments.texts("ncu")) {
    options.ncu.push_back(folders.existing(name));
  }
  if (const std::optional<std::string> peaks = arguments.text("peaks")) {
    options.peaks = folders.existing(*peaks);
    // A pipe may never end.
    if (!fs::is_regular_file(options.peaks)) throw Error(*peaks, "is not a file of peaks");
  }
  options.costs = arguments.flag("costs");
  options.allow_truncated = arguments.flag("allow_truncated");
  return asked;
}

}  // namespace

RunsAsked RunsAsked::of(Arguments& arguments, const Folders& folders) {
  RunsAsked asked = common(arguments, folders);
  asked.runs = files_of(arguments.texts("runs"), folders, "runs");
  return asked;
}

RunsAsked RunsAsked::of_sides(Arguments& arguments, const Folders& folders) {
  RunsAsked asked = common(arguments, folders);
  asked.runs = files_of(arguments.texts("a"), folders, "a");
  asked.others = files_of(arguments.texts("b"), folders, "b");
  return asked;
}

std::string RunsAsked::key() const {
  std::string key;
  const auto add = [&](std::string_view text) {
    key += text;
    key += '\0';
  };
  const auto add_all = [&](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) add(text);
    key += '\1';
  };
  const auto add_files = [&](const std::vector<std::string>& paths) {
    add_all(paths);
    for (const std::string& path : paths) {
      std::error_code error;
      add(fmt::format("{} {}", fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0,
                      fs::last_write_time(path, error).time_since_epoch().count()));
    }
  };
  add_files(runs);
  add_files(others);
  add_files(options.references);
  add_files(options.ncu);
  if (!options.peaks.empty()) add_files({options.peaks});
  add_all({engine, model, options.window, options.rank, options.gpu,
           fmt::format("{} {}", options.costs, options.allow_truncated)});
  add_all(options.what_if);
  return key;
}

OpenTraces::OpenTraces(Rules rules, size_t max_bytes, Progress progress,
                       std::function<bool()> stop_query)
    : rules_(std::move(rules)),
      max_bytes_(max_bytes),
      progress_(std::move(progress)),
      stop_query_(std::move(stop_query)) {}

Session& OpenTraces::open(const RunsAsked& asked) {
  std::string key = asked.key();
  const auto known = std::ranges::find(open_, key, &Open::key);
  if (known != open_.end()) {
    open_.splice(open_.begin(), open_, known);
    return open_.front().session;
  }
  SessionOptions options = asked.options;
  options.progress = progress_;
  options.stop_query = stop_query_;
  if (!asked.others.empty()) options.tables.runs_before = asked.runs.size();
  Session session(rules_, std::move(options));
  for (const std::vector<std::string>* side : {&asked.runs, &asked.others}) {
    for (const std::string& path : *side) {
      session.add({.path = path, .engine = asked.engine, .model = asked.model});
    }
  }
  open_.push_front({std::move(key), std::move(session)});
  return open_.front().session;
}

void OpenTraces::trim() {
  while (open_.size() > max_sessions) open_.pop_back();
  while (!open_.empty() && resident() > max_bytes_) {
    open_.pop_back();
    malloc_trim(0);
  }
}

}  // namespace kr::mcp
