#include "rule_paths.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.hpp"

namespace kr::cli {

namespace fs = std::filesystem;

std::vector<std::string> rules_in_folder(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(folder, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    const fs::path& path = at->path();
    std::error_code ignored;
    if (at->is_directory(ignored)) {
      if (path.filename().string().starts_with('.')) at.disable_recursion_pending();
    } else if (path.extension() == ".kr") {
      found.push_back(path.string());
    }
  }
  if (error) throw Error(folder, "the folder cannot be read: " + error.message());
  if (found.empty()) throw Error(folder, "no .kr file is in this folder");
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> rule_paths(const std::vector<std::string>& paths, const Library& library) {
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
      throw Error(path, "a .krdb holds rules made ready to run, not the files they were made from",
                  "name the .kr files");
    } else {
      add(path, path);
    }
  }
  return names;
}

}  // namespace kr::cli
