#include "sema/load.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/join.hpp"
#include "base/nearest.hpp"
#include "sema/order.hpp"
#include "sema/read.hpp"
#include "sema/resolve.hpp"
#include "source/text_file.hpp"
#include "syntax/parse.hpp"
#include "syntax/words.hpp"

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

bool is_about_unknown_name(const diag::Diagnostic& one) {
  using namespace diag::code;
  const diag::CodeInfo* const codes[] = {unknown_label.info(),   unknown_alias.info(),
                                         unknown_pattern.info(), unknown_table.info(),
                                         unknown_labels.info(),  unknown_model.info(),
                                         unknown_engine.info(),  unknown_dimension.info(),
                                         unknown_cost.info(),    nothing_to_refine.info()};
  return std::ranges::find(codes, one.code) != std::end(codes);
}

void add_words(std::string_view text, std::unordered_set<std::string_view>& words) {
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && syntax::is_word_byte(text[at])) continue;
    if (at > begin) words.insert(text.substr(begin, at - begin));
    begin = at + 1;
  }
}

/// Adds what was found to `sink`. A name that occurs in text that was skipped after a mistake may
/// have been declared there, so it is not reported as unknown.
void report(const diag::Sink& found, const LoadedRules& rules, diag::Sink& sink) {
  std::unordered_set<std::string_view> lost;
  bool nameless = false;
  for (const LoadedFile& file : rules.files) {
    for (const source::Span span : file.tree.skipped) add_words(rules.sources.text(span), lost);
    nameless |= file.tree.nameless;
  }
  for (const diag::Diagnostic& one : found.all()) {
    if (nameless && is_about_unknown_name(one)) continue;
    if (!lost.empty() && is_about_unknown_name(one)) {
      const std::string_view written = rules.sources.text(one.span);
      if (lost.contains(written.substr(written.rfind('.') + 1))) continue;
    }
    sink.add(*one.code, one.span, one.message) = one;
  }
}

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
                           : fmt::format("give a path, or one of: {}", join(shipped, ", "));
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

source::Span span_of(const syntax::Use& use) {
  return use.file ? use.file->span : use.module.span;
}

/// The libraries of files in a folder: the folder itself may contain `stdlib` or `rulesets`, and
/// may be one of these two in a checkout. The roots of `library` have their own order.
source::Library beside(const fs::path& folder, const source::Library& library) {
  std::vector<fs::path> roots{folder.empty() ? fs::path(".") : folder};
  std::error_code error;
  const fs::path name =
      fs::absolute(roots[0] / "file", error).lexically_normal().parent_path().filename();
  if (name == "rulesets" || name == "stdlib") {
    const fs::path above = (roots[0] / "..").lexically_normal();
    const auto same = [&](const fs::path& root) { return fs::equivalent(root, above, error); };
    if (std::ranges::none_of(library.roots(), same)) roots.push_back(above);
  }
  return source::Library(std::move(roots));
}

/// Reads rules files and the files that they use, each once.
class Loader {
 public:
  /// `overlay` may be empty; files that exist only in it are found too.
  Loader(const source::Library& library, const Overlay& overlay, diag::Sink& sink)
      : library_(library), overlay_(overlay), sink_(sink) {}

  /// Parses a text as the next file.
  source::FileId add(std::string shown, fs::path path, std::string text, bool root) {
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

  /// Reads the file unless it was read before. Throws Error.
  source::FileId open(const fs::path& path, bool root) {
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
    const source::FileId file = add(library_.display(path), path, std::move(text), root);
    by_real_path_.emplace(real.string(), file);
    return file;
  }

  /// Opens the files that the files use, recursively. A second call handles only new files.
  void follow_uses() {
    for (; followed_ < rules_->files.size(); ++followed_) {
      const fs::path folder = rules_->files[followed_].path.parent_path();
      for (size_t u = 0; u < uses_[followed_].size(); ++u) {
        // A copy: opening a file reallocates the list of files.
        const syntax::Use use = rules_->files[followed_].tree.uses[u];
        set_target(followed_, u, open_used(use, folder));
      }
    }
  }

  /// The same among texts in memory, which are all the files there are.
  void follow_uses(const std::vector<SourceFile>& files) {
    for (; followed_ < files.size(); ++followed_) {
      const auto& targets = files[followed_].uses;
      const std::vector<syntax::Use>& uses = rules_->files[followed_].tree.uses;
      for (size_t u = 0; u < uses.size(); ++u) {
        const auto used =
            std::ranges::find(targets, use_text(uses[u]), &std::pair<std::string, size_t>::first);
        if (used != targets.end() && used->second < files.size()) {
          set_target(followed_, u, {static_cast<uint32_t>(used->second)});
          continue;
        }
        std::vector<std::string> known;
        known.reserve(targets.size());
        for (const auto& one : targets) known.push_back(one.first);
        report_missing(uses[u], known);
      }
    }
  }

  /// Reports cycles of `use`. `kind` is std.kind; invalid: a minimal one replaces it.
  ReadRules finish(source::FileId kind) && {
    if (!kind.valid()) kind = add("stdlib/kind.kr", {}, std::string(minimal_kind), false);
    report_cycles();
    return {std::move(rules_), std::move(uses_), kind};
  }

 private:
  /// Sets the target of a `use` (by its index in the file); invalid: none.
  void set_target(uint32_t file, size_t use, source::FileId target) {
    // What such a file would define is not missing: that the file cannot be read was reported.
    if (target.valid() && rules_->files[target.index].tree.too_new) return;
    uses_[file][use] = target;
    LoadedFile& loaded = rules_->files[file];
    if (target.valid()) loaded.uses.push_back({use_text(loaded.tree.uses[use]), target});
  }

  source::FileId open_used(const syntax::Use& use, const fs::path& folder) {
    const auto path = find(use, folder);
    if (!path) {
      report_missing(use, candidates(use, folder));
      return {};
    }
    try {
      return open(*path, false);
    } catch (const Error& error) {
      sink_.add(diag::code::unreadable_module, span_of(use), use_text(use), error.why());
      return {};
    }
  }

  /// True also for a folder; reading it then reports the error.
  bool is_there(const fs::path& path) const {
    std::error_code error;
    return fs::exists(path, error) || (overlay_ && overlay_(path).has_value());
  }

  /// `folder` is the folder of the using file. `"./x.kr"` is searched only there; `"x.kr"`, `std.x`
  /// and `rulesets.x` there first, then in the roots of the library.
  std::optional<fs::path> find(const syntax::Use& use, const fs::path& folder) const {
    if (!use.file) {
      const std::string name = use.module.text();
      if (auto own = beside(folder, library_).module(name)) return own->lexically_normal();
      return library_.module(name);
    }
    const std::string& name = use.file->text;
    const fs::path own = (folder / name).lexically_normal();
    if (is_there(own)) return own;
    if (name.starts_with("./") || name.starts_with("../")) return std::nullopt;
    for (const fs::path& root : library_.roots()) {
      if (is_there(root / name)) return root / name;
    }
    return std::nullopt;
  }

  /// Possible targets of a `use` that finds nothing, as they would be written.
  std::vector<std::string> candidates(const syntax::Use& use, const fs::path& folder) const {
    std::vector<std::string> names;
    if (!use.file) {
      names = beside(folder, library_).modules();
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

  void report_missing(const syntax::Use& use, const std::vector<std::string>& candidates) {
    const std::string name = use_text(use);
    diag::Diagnostic& added = sink_.add(diag::code::unknown_module, span_of(use), name);
    if (use.file && (name.starts_with("std.") || name.starts_with("rulesets.")) &&
        library_.module(name)) {
      added.help("remove the quotes: `use {}`", name);
      added.replace(span_of(use), name);
      return;
    }
    if (const auto near = near_name(name, candidates, sink_)) {
      const std::string meant = use.file ? "\"" + *near + "\"" : *near;
      added.help("did you mean `{}`?", meant).suggest(span_of(use), meant);
      return;
    }
    if (!use.file && name.ends_with(".kr")) {
      added.help("a file is named in quotes: `use \"./{}\"`", name)
          .suggest(span_of(use), fmt::format("\"./{}\"", name));
      return;
    }
    if (!use.file && !name.starts_with("std.") && !name.starts_with("rulesets.")) {
      // `gemm` for `std.gemm`, or a file of the same folder without quotes.
      for (const std::string& one : candidates) {
        if (!one.ends_with("." + name)) continue;
        added.help("did you mean `{}`?", one).suggest(span_of(use), one);
        return;
      }
      added.help("for a file in the same folder, write `use \"./{}.kr\"`", name);
    }
  }

  void report_cycles() {
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

  const source::Library& library_;
  const Overlay& overlay_;
  diag::Sink& sink_;
  std::unique_ptr<LoadedRules> rules_ = std::make_unique<LoadedRules>();
  std::vector<std::vector<source::FileId>> uses_;  // by file, beside tree.uses
  std::unordered_map<std::string, source::FileId> by_real_path_;
  uint32_t followed_ = 0;  // files whose uses have targets
};

}  // namespace

ReadRules read_rules(const std::vector<std::string>& names, const source::Library& library,
                     diag::Sink& sink, const Overlay& overlay) {
  Loader loader(library, overlay, sink);
  for (const fs::path& path : roots(names, library, overlay)) loader.open(path, true);
  loader.follow_uses();
  source::FileId kind;
  if (const auto path = library.module("std.kind")) {
    kind = loader.open(*path, false);
    loader.follow_uses();
  }
  return std::move(loader).finish(kind);
}

std::unique_ptr<LoadedRules> resolve_rules(ReadRules read, diag::Sink& sink) {
  std::unique_ptr<LoadedRules> rules = std::move(read.rules);
  std::vector<Module> modules;
  modules.reserve(rules->files.size());
  for (const LoadedFile& file : rules->files) {
    modules.push_back({&file.tree, file.root, read.uses[file.file.index]});
  }
  diag::Sink found;
  rules->scope.emplace(std::move(modules), found);
  rules->program = resolve(rules->sources, *rules->scope, read.kind, found);
  report(found, *rules, sink);
  return rules;
}

std::unique_ptr<LoadedRules> load_rules(const std::vector<std::string>& names,
                                        const source::Library& library, diag::Sink& sink,
                                        const Overlay& overlay) {
  return resolve_rules(read_rules(names, library, sink, overlay), sink);
}

std::vector<std::shared_ptr<const LoadedRules>> load_shipped(const source::Library& library) {
  std::vector<std::shared_ptr<const LoadedRules>> shipped;
  for (const std::string& name : library.rulesets()) {
    diag::Sink ignored;
    shipped.push_back(load_rules({name}, library, ignored));
  }
  return shipped;
}

std::vector<std::string> names_in_tests(const source::Library& library) {
  std::set<std::string> names;
  source::SourceMap sources;
  for (const std::string& ruleset : library.rulesets()) {
    const auto path = library.ruleset(ruleset);
    if (!path) continue;
    const source::FileId file =
        sources.add(path->string(), source::read_text_file(*path, source::Pipes::refuse));
    diag::Sink ignored;
    for (const syntax::Test& test : syntax::parse(sources, file, ignored).tests) {
      for (const syntax::TestCase& one : test.cases) {
        syntax::each_operation(one,
                               [&](const auto& operation) { names.insert(operation.name.text); });
      }
    }
  }
  return {names.begin(), names.end()};
}

std::unique_ptr<LoadedRules> load_rules(std::vector<SourceFile> files, diag::Sink& sink) {
  const source::Library none({});
  const Overlay no_overlay;
  Loader loader(none, no_overlay, sink);
  source::FileId kind;
  for (SourceFile& file : files) {
    const source::FileId added = loader.add(file.path, file.path, std::move(file.text), file.root);
    if (!kind.valid() && file.path == "stdlib/kind.kr") kind = added;
  }
  loader.follow_uses(files);
  return resolve_rules(std::move(loader).finish(kind), sink);
}

}  // namespace kr::sema
