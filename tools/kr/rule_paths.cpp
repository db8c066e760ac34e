#include <algorithm>
#include <filesystem>
#include <set>

#include "base/file.hpp"
#include "sema/load.hpp"
#include "session.hpp"

namespace kr::cli {

namespace fs = std::filesystem;

namespace {

/// Adds the rules files below; false where the folder itself cannot be read.
bool add_rules(const fs::path& folder, std::vector<std::string>& found, std::error_code& error) {
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const fs::path& path = at->path();
    std::error_code ignored;
    if (!at->is_directory(ignored)) {
      if (path.extension() != ".kr") continue;
      // Nobody has named it, and reading it would wait.
      if (at->status(ignored).type() == fs::file_type::fifo) {
        throw Error(path.string(), "is a pipe, not a regular file", "remove it from the folder");
      }
      found.push_back(path.string());
    } else if (!at->is_symlink(ignored) && !path.filename().string().starts_with('.')) {
      std::error_code below;
      if (!add_rules(path, found, below)) found.push_back(path.string());
    }
  }
  return !error;
}

}  // namespace

std::vector<std::string> rules_in_folder(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  if (!add_rules(folder, found, error)) throw cannot_read(folder, error.value());
  if (found.empty()) {
    throw Error(folder, "no .kr file in this folder",
                "name a rules file, or a folder that contains one");
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> rule_paths(const std::vector<std::string>& paths,
                                    const source::Library& library) {
  if (paths.empty()) return library.rulesets();
  std::vector<std::string> names;
  std::set<std::string> seen;
  const auto add = [&](const std::string& name, const fs::path& file) {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(file, error);
    if (seen.insert(error ? name : real.string()).second) names.push_back(name);
  };
  for (const std::string& path : paths) {
    std::error_code error;
    const auto shipped = path.find('/') == path.npos ? library.ruleset(path) : std::nullopt;
    if (shipped) {
      add(path, *shipped);
    } else if (fs::is_directory(path, error)) {
      for (const std::string& file : rules_in_folder(path)) add(file, file);
    } else if (path.ends_with(".krdb")) {
      throw Error(path, "a .krdb file contains compiled rules, not their source files",
                  "name the .kr files");
    } else {
      add(path, path);
    }
  }
  return names;
}

}  // namespace kr::cli
