#include "source/library.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "source/text_file.hpp"

namespace kr::source {
namespace fs = std::filesystem;
namespace {

bool is_root(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "stdlib", ignored) &&
         fs::is_directory(folder / "rulesets", ignored);
}

/// The names below `folder`, dotted, without `.kr`.
std::set<std::string> names_below(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() != ".kr") continue;
    std::string name = fs::path(at->path()).lexically_relative(folder).replace_extension().string();
    std::ranges::replace(name, '/', '.');
    names.insert(std::move(name));
  }
  return names;
}

}  // namespace

Install Install::of_prefix() {
  return {KR_DATA_FOLDER};
}

fs::path Install::databases() const {
  std::error_code error;
  const fs::path made = folder / "databases";
  return !folder.empty() && fs::is_directory(made, error) ? made : fs::path();
}

bool Install::trusts(const fs::path& path) const {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return false;
  fs::path at = fs::canonical(path, error);
  if (error) return false;
  const auto trusted = [this](const fs::path& one) {
    struct stat info {};
    return ::stat(one.c_str(), &info) == 0 && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
           (info.st_uid == 0 || info.st_uid == ::geteuid() || info.st_uid == owner);
  };
  for (; at != root; at = at.parent_path()) {
    if (!at.has_relative_path() || !trusted(at)) return false;
  }
  return trusted(root);
}

Library Library::of_process(Install install) {
  std::vector<fs::path> roots;
  const auto add = [&roots](const fs::path& root) {
    if (is_root(root) && std::ranges::find(roots, root) == roots.end()) {
      roots.push_back(root);
    }
  };
  if (const char* path = std::getenv("KR_PATH")) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const size_t colon = std::min(rest.find(':'), rest.size());
      add(fs::path(rest.substr(0, colon)).lexically_normal());
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
  }
  if (!install.folder.empty()) add(install.folder);
  return Library(std::move(roots), std::move(install));
}

std::optional<fs::path> Library::module(std::string_view dotted) const {
  const size_t dot = dotted.find('.');
  if (dot == dotted.npos) return std::nullopt;
  const std::string_view head = dotted.substr(0, dot);
  const char* folder = head == "std" ? "stdlib" : head == "rulesets" ? "rulesets" : nullptr;
  if (folder == nullptr) return std::nullopt;
  std::string below(dotted.substr(dot + 1));
  std::ranges::replace(below, '.', '/');
  for (const fs::path& root : roots_) {
    const fs::path path = root / folder / (below + ".kr");
    std::error_code error;
    if (fs::is_regular_file(path, error)) return path;
  }
  return std::nullopt;
}

std::optional<fs::path> Library::ruleset(std::string_view name) const {
  if (name.find_first_of("./") != name.npos) return std::nullopt;
  return module("rulesets." + std::string(name));
}

std::vector<std::string> Library::rulesets() const {
  std::set<std::string> names;
  for (const fs::path& root : roots_) names.merge(names_below(root / "rulesets"));
  return {names.begin(), names.end()};
}

std::vector<std::string> Library::modules() const {
  std::set<std::string> names;
  for (const fs::path& root : roots_) {
    for (const std::string& name : names_below(root / "stdlib")) names.insert("std." + name);
    for (const std::string& name : names_below(root / "rulesets")) names.insert("rulesets." + name);
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> Library::known_names() const {
  std::set<std::string> names;
  for (const fs::path& root : roots_) {
    std::error_code error;
    for (const fs::directory_entry& list : fs::directory_iterator(root / "names", error)) {
      if (list.path().extension() != ".tsv") continue;
      const std::string text = read_text_file(list.path(), Pipes::refuse);
      size_t at = text.find('\n');  // behind the head
      while (at < text.size()) {
        const size_t begin = at + 1;
        at = std::min(text.find('\n', begin), text.size());
        const std::string_view line = std::string_view(text).substr(begin, at - begin);
        const std::string_view name = line.substr(0, line.find_first_of("\t\r"));
        if (!name.empty()) names.emplace(name);
      }
    }
    if (!names.empty()) break;
  }
  return {names.begin(), names.end()};
}

std::string Library::display(const fs::path& path) const {
  for (const fs::path& root : roots_) {
    std::string below = path.lexically_relative(root).string();
    if (below.starts_with("stdlib/") || below.starts_with("rulesets/")) return below;
  }
  return path.string();
}

}  // namespace kr::source
