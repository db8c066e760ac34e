#include "mcp/folders.hpp"

#include <algorithm>
#include <system_error>

#include "base/error.hpp"
#include "base/join.hpp"

namespace kr::mcp {

namespace fs = std::filesystem;

Folders::Folders(const std::vector<std::string>& roots) {
  for (const std::string& root : roots.empty() ? std::vector<std::string>{"."} : roots) {
    std::error_code error;
    fs::path real = fs::canonical(root, error);
    if (error) throw Error(root, "cannot be used: " + error.message());
    if (!fs::is_directory(real, error)) throw Error(root, "is not a folder");
    roots_.push_back(std::move(real));
  }
}

fs::path Folders::placed(const std::string& name) const {
  if (name.empty()) throw Error("", "a path is empty", "name a file");
  if (name.find('\0') != name.npos) throw Error("", "a path contains a NUL byte");
  return roots_.front() / name;  // an absolute path stays as it is
}

void Folders::check(const fs::path& real, const std::string& name) const {
  const bool below = std::ranges::any_of(roots_, [&](const fs::path& root) {
    return std::ranges::mismatch(root, real).in1 == root.end();
  });
  if (below) return;
  std::vector<std::string> names;
  for (const fs::path& root : roots_) names.push_back(root.string());
  throw Error(name, "is outside of the folders of this server",
              "they are: " + join(names, ", ") + "; `kr mcp --root FOLDER` adds one");
}

std::string Folders::existing(const std::string& name) const {
  std::error_code error;
  const fs::path path = placed(name);
  const fs::path real = fs::canonical(path, error);
  if (error) {
    // Whether a file is there is said only of those below the folders.
    check(fs::weakly_canonical(path, error), name);
    throw Error(name, "cannot be opened: No such file or directory");
  }
  check(real, name);
  return real.string();
}

std::string Folders::to_write(const std::string& name) const {
  const fs::path path = placed(name);
  if (!path.has_filename()) throw Error(name, "is not the name of a file");
  std::error_code error;
  const fs::path folder = fs::canonical(path.parent_path(), error);
  check(error ? fs::weakly_canonical(path.parent_path(), error) : folder, name);
  if (folder.empty()) throw Error(name, "its folder does not exist");
  const fs::path real = folder / path.filename();
  if (fs::exists(fs::symlink_status(real))) throw Error(name, "exists already", "use another name");
  return real.string();
}

}  // namespace kr::mcp
