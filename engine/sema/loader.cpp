#include "sema/loader.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "sema/order.hpp"
#include "sema/resolve.hpp"
#include "source/text_file.hpp"
#include "syntax/parse.hpp"

namespace kr::sema {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view minimal_kind = R"(## What an operation occupies.
labels kind {
  compute "Compute"
  communication "Communication"
  memory "Memory"
}

table kind for kind {
  memory:  @memcpy | @memset
  compute: otherwise
}
)";

source::Span span_of(const syntax::Use& use) {
  return use.file ? use.file->span : use.module.span;
}

}  // namespace

source::FileId Loader::add(std::string shown, fs::path path, std::string text, bool root) {
  const source::FileId file = rules_->sources.add(std::move(shown), std::move(text));
  LoadedFile loaded;
  loaded.file = file;
  loaded.path = std::move(path);
  loaded.root = root;
  loaded.tree = syntax::parse(rules_->sources, file, sink_);
  uses_.emplace_back(loaded.tree.uses.size());
  rules_->files.push_back(std::move(loaded));
  return file;
}

source::FileId Loader::open(const fs::path& path, const source::Library& library, bool root) {
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  if (error) real = fs::absolute(path).lexically_normal();
  if (const auto known = by_real_path_.find(real.string()); known != by_real_path_.end()) {
    return known->second;
  }
  std::optional<std::string> open = overlay_ ? overlay_(path) : std::nullopt;
  // Only the command line may name a pipe, as in `--rules <(…)`.
  std::string text =
      open ? std::move(*open)
           : source::read_text_file(path, root ? source::Pipes::read : source::Pipes::refuse);
  const source::FileId file = add(library.display(path), path, std::move(text), root);
  by_real_path_.emplace(real.string(), file);
  return file;
}

void Loader::set_target(source::FileId file, size_t use, source::FileId target) {
  uses_[file.index][use] = target;
  LoadedFile& loaded = rules_->files[file.index];
  if (target.valid()) loaded.uses.push_back({use_text(loaded.tree.uses[use]), target});
}

void Loader::follow_uses(const ModuleFinder& finder) {
  for (; followed_ < rules_->files.size(); ++followed_) {
    const uint32_t m = followed_;
    const fs::path folder = rules_->files[m].path.parent_path();
    for (size_t u = 0; u < uses_[m].size(); ++u) {
      // A copy: opening a file reallocates the list of files.
      const syntax::Use use = rules_->files[m].tree.uses[u];
      set_target({m}, u, open_used(use, folder, finder));
    }
  }
}

source::FileId Loader::open_used(const syntax::Use& use, const fs::path& folder,
                                 const ModuleFinder& finder) {
  const auto path = finder.find(use, folder);
  if (!path) {
    report_missing(use, finder.candidates(use, folder));
    return {};
  }
  try {
    return open(*path, finder.library(), false);
  } catch (const Error& error) {
    sink_.add(diag::code::unreadable_module, span_of(use), use_text(use), error.why());
    return {};
  }
}

void Loader::report_missing(const syntax::Use& use, const std::vector<std::string>& candidates) {
  const std::string name = use_text(use);
  diag::Diagnostic& added = sink_.add(diag::code::unknown_module, span_of(use), name);
  if (const auto near = near_name(name, candidates, sink_)) {
    added.help("did you mean `{}`?", use.file ? "\"" + *near + "\"" : *near);
    return;
  }
  if (!use.file && !name.starts_with("std.") && !name.starts_with("rulesets.")) {
    // `gemm` for `std.gemm`, or a file of the same folder without quotes.
    for (const std::string& one : candidates) {
      if (!one.ends_with("." + name)) continue;
      added.help("did you mean `{}`?", one);
      return;
    }
    added.help("for a file in the same folder, write `use \"./{}.kr\"`", name);
  }
}

source::FileId Loader::kind(source::FileId found) {
  if (found.valid()) return found;
  return add("stdlib/kind.kr", {}, std::string(minimal_kind), false);
}

void Loader::report_cycles() {
  std::vector<std::vector<uint32_t>> edges(uses_.size());
  for (size_t m = 0; m < uses_.size(); ++m) {
    for (const source::FileId used : uses_[m]) {
      if (used.valid()) edges[m].push_back(used.index);
    }
  }
  dependencies_first(edges, [&](const std::vector<uint32_t>& path) {
    // The use that closes the cycle, and the uses on the way.
    const auto use_of = [&](uint32_t from, uint32_t to) {
      const auto& uses = uses_[from];
      const auto at = std::ranges::find(uses, source::FileId{to});
      return span_of(rules_->files[from].tree.uses[static_cast<size_t>(at - uses.begin())]);
    };
    const std::string text =
        cycle_text(path, [&](uint32_t file) { return rules_->sources.path({file}); });
    diag::Diagnostic& added =
        sink_.add(diag::code::use_cycle, use_of(path.back(), path.front()), text);
    for (size_t i = 0; i + 1 < std::min<size_t>(path.size(), 5); ++i) {
      added.related(use_of(path[i], path[i + 1]), "through this use");
    }
  });
}

std::unique_ptr<LoadedRules> Loader::finish(source::FileId kind) && {
  report_cycles();
  std::vector<Module> modules;
  modules.reserve(rules_->files.size());
  for (const LoadedFile& file : rules_->files) {
    modules.push_back({&file.tree, file.root, uses_[file.file.index]});
  }
  rules_->scope.emplace(std::move(modules), sink_);
  rules_->program = resolve(rules_->sources, *rules_->scope, kind, sink_);
  return std::move(rules_);
}

}  // namespace kr::sema
