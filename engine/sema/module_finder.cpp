#include "sema/module_finder.hpp"

#include <algorithm>

namespace kr::sema {
namespace fs = std::filesystem;
namespace {

/// A folder that may contain its own `stdlib` or `rulesets`.
source::Library beside(const fs::path& folder) {
  return source::Library({folder.empty() ? fs::path(".") : folder});
}

bool is_relative(const std::string& name) {
  return name.starts_with("./") || name.starts_with("../");
}

}  // namespace

/// True also for a folder; reading it then reports the error.
bool ModuleFinder::is_there(const fs::path& path) const {
  std::error_code error;
  return fs::exists(path, error) || (overlay_ && overlay_(path).has_value());
}

std::optional<fs::path> ModuleFinder::find(const syntax::Use& use, const fs::path& folder) const {
  if (!use.file) {
    const std::string name = use.module.text();
    if (auto own = beside(folder).module(name)) return own->lexically_normal();
    return library_.module(name);
  }
  const std::string& name = use.file->text;
  const fs::path own = (folder / name).lexically_normal();
  if (is_there(own)) return own;
  if (is_relative(name)) return std::nullopt;
  for (const fs::path& root : library_.roots()) {
    if (is_there(root / name)) return root / name;
  }
  return std::nullopt;
}

std::vector<std::string> ModuleFinder::candidates(const syntax::Use& use,
                                                  const fs::path& folder) const {
  std::vector<std::string> names;
  if (!use.file) {
    names = beside(folder).modules();
    std::vector<std::string> shipped = library_.modules();
    names.insert(names.end(), shipped.begin(), shipped.end());
    return names;
  }
  const std::string& name = use.file->text;
  const std::string prefix = name.substr(0, name.rfind('/') + 1);
  std::error_code error;
  const fs::path where = folder / prefix;
  for (fs::directory_iterator at(where.empty() ? fs::path(".") : where, error), end;
       !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".kr") names.push_back(prefix + at->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace kr::sema
