#include "sema/load.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/nearest.hpp"
#include "sema/loader.hpp"

namespace kr::sema {
namespace fs = std::filesystem;
namespace {

bool is_path(const std::string& name) {
  return name.find('/') != name.npos || name.ends_with(".kr");
}

/// The path of a file that the user named. Throws Error with a suggestion if there is none.
fs::path root_path(const std::string& name, const source::Library& library,
                   const Overlay& overlay) {
  if (overlay && overlay(name)) return name;
  std::error_code error;
  if (is_path(name)) {
    // Also a file that exists but cannot be read.
    if (fs::exists(name, error) || error || fs::is_symlink(name, error)) return name;
  } else {
    if (auto shipped = library.ruleset(name)) return *shipped;
    if (fs::is_regular_file(name, error)) return name;
  }
  if (const auto near = is_path(name) ? near_file(name) : std::nullopt) {
    throw Error(name, "no such file", "did you mean `" + *near + "`?");
  }
  const std::vector<std::string> shipped = library.rulesets();
  std::string word = fs::path(name).filename().string();
  if (word.ends_with(".kr")) word.resize(word.size() - 3);
  const auto near = nearest(word, shipped);
  std::string remedy = near ? "did you mean `" + *near + "`?"
                       : shipped.empty()
                           ? "give the path of a rules file"
                           : fmt::format("give a path, or one of: {}", fmt::join(shipped, ", "));
  throw Error(name, is_path(name) ? "no such file" : "no such ruleset", std::move(remedy));
}

std::vector<fs::path> roots(const std::vector<std::string>& names, const source::Library& library,
                            const Overlay& overlay) {
  std::vector<fs::path> paths;
  if (!names.empty()) {
    for (const std::string& name : names) paths.push_back(root_path(name, library, overlay));
    return paths;
  }
  for (const std::string& name : library.rulesets()) {
    // It redefines engines of other rulesets, like the tool of the same name.
    if (name == "gputrc2graph") continue;
    if (auto path = library.module("rulesets." + name)) paths.push_back(*path);
  }
  if (paths.empty()) {
    throw Error(
        {}, "no rulesets found",
        "name a rules file, or set KR_PATH to the folder that contains `stdlib` and `rulesets`");
  }
  return paths;
}

source::FileId file_with_path(const LoadedRules& rules, std::string_view path) {
  for (const LoadedFile& file : rules.files) {
    if (rules.sources.path(file.file) == path) return file.file;
  }
  return {};
}

}  // namespace

std::unique_ptr<LoadedRules> load_rules(const std::vector<std::string>& names,
                                        const source::Library& library, diag::Sink& sink,
                                        const Overlay& overlay) {
  sema::Loader loader(sink, overlay);
  const sema::ModuleFinder finder(library, overlay);
  for (const fs::path& path : roots(names, library, overlay)) loader.open(path, library, true);
  loader.follow_uses(finder);
  source::FileId kind;
  if (const auto path = library.module("std.kind")) {
    kind = loader.open(*path, library, false);
    loader.follow_uses(finder);
  }
  kind = loader.kind(kind);
  return std::move(loader).finish(kind);
}

std::unique_ptr<LoadedRules> load_rules(std::vector<SourceFile> files, diag::Sink& sink) {
  sema::Loader loader(sink);
  for (SourceFile& file : files) {
    loader.add(file.path, file.path, std::move(file.text), file.root);
  }
  for (uint32_t m = 0; m < files.size(); ++m) {
    const syntax::File& tree = loader.rules().files[m].tree;
    for (size_t u = 0; u < tree.uses.size(); ++u) {
      const std::string name = sema::use_text(tree.uses[u]);
      const auto used = std::find_if(files[m].uses.begin(), files[m].uses.end(),
                                     [&](const auto& one) { return one.first == name; });
      if (used != files[m].uses.end() && used->second < files.size()) {
        loader.set_target({m}, u, {static_cast<uint32_t>(used->second)});
        continue;
      }
      std::vector<std::string> known;
      for (const auto& one : files[m].uses) known.push_back(one.first);
      loader.report_missing(tree.uses[u], known);
    }
  }
  const source::FileId kind = loader.kind(file_with_path(loader.rules(), "stdlib/kind.kr"));
  return std::move(loader).finish(kind);
}

}  // namespace kr::sema
