#include "sema/scope.hpp"

#include <algorithm>

#include "base/nearest.hpp"
#include "syntax/words.hpp"

namespace kr::sema {
namespace {

/// By Noun.
constexpr std::string_view noun_texts[] = {"pattern", "labels of", "table", "cost", "engine"};

const syntax::Word& name_of(const syntax::Labels& labels) {
  return labels.dimension;
}
/// Of a block without a name, an empty word.
const syntax::Word& name_of(const syntax::CostBlock& block) {
  static const syntax::Word none;
  return block.name ? *block.name : none;
}
template <class Declaration>
const syntax::Word& name_of(const Declaration& declaration) {
  return declaration.name;
}

template <class Declaration>
void collect(const std::vector<Declaration>& declarations, std::string_view what,
             std::unordered_map<std::string, uint32_t>& names, diag::Sink& sink) {
  for (uint32_t i = 0; i < declarations.size(); ++i) {
    const syntax::Word& name = name_of(declarations[i]);
    if (!name.span.valid()) continue;
    const auto [at, added] = names.emplace(name.text, i);
    if (added) continue;
    sink.add(diag::code::redefinition, name.span, what, name.text)
        .related(name_of(declarations[at->second]).span, "first declared here");
  }
}

source::Span span_of_name(const syntax::Use& use) {
  return use.alias ? use.alias->span : use.file ? use.file->span : use.module.span;
}

/// For words with a meaning elsewhere in an expression.
std::string_view help_for_word(std::string_view word) {
  if (word == "kernel") return "did you mean `@kernel`?";
  if (word == "memcpy") return "did you mean `@memcpy`?";
  if (word == "memset") return "did you mean `@memset`?";
  if (word == "own") return "an expression follows `own`: `own \"…\"`";
  if (word == "op") return "the name of an op follows `op`: `op \"aten::mm\"`";
  if (word == "word") return "a text follows `word`: `word \"…\"`";
  if (word == "phase") return "the label of a phase follows `phase`: `phase decode`";
  if (word == "keep") return "`otherwise keep` is a rule without a label";
  return {};
}

/// Whether `part` is between the dots of `name`.
bool names_part(std::string_view name, std::string_view part) {
  return ('.' + std::string(name) + '.').find('.' + std::string(part) + '.') != std::string::npos;
}

diag::Diagnostic& add_unknown(Noun noun, source::Span span, const std::string& name,
                              diag::Sink& sink) {
  using namespace diag::code;
  const diag::Code<1> codes[] = {unknown_pattern, unknown_labels, unknown_table, unknown_cost,
                                 unknown_engine};
  return sink.add(codes[static_cast<size_t>(noun)], span, name);
}

}  // namespace

std::optional<std::string> near_name(std::string_view word, std::span<const std::string> candidates,
                                     const diag::Sink& sink) {
  // Any letter is one edit away from any other.
  if (word.size() < 2 || !worth_suggesting(sink)) return std::nullopt;
  return nearest(word, candidates);
}

void suggest(diag::Diagnostic& diagnostic, std::string_view word,
             std::span<const std::string> candidates, std::string_view prefix,
             const diag::Sink& sink) {
  if (const auto near = near_name(word, candidates, sink)) {
    diagnostic.help("did you mean `{}{}`?", prefix, *near);
    if (diagnostic.span.size() == word.size()) diagnostic.suggest(diagnostic.span, *near);
    return;
  }
  constexpr size_t listed = 8;
  std::string list;
  for (size_t i = 0; i < std::min(listed, candidates.size()); ++i) {
    list += fmt::format("{}`{}{}`", i == 0 ? "" : ", ", prefix, candidates[i]);
  }
  if (candidates.size() > listed) list += ", …";
  if (!list.empty()) diagnostic.help("available: {}", list);
}

std::string use_name(const syntax::Use& use) {
  if (use.alias) return use.alias->text;
  if (!use.file) return use.module.parts.empty() ? "" : use.module.parts.back().text;
  std::string name = use.file->text.substr(use.file->text.rfind('/') + 1);
  if (name.ends_with(".kr")) name.resize(name.size() - 3);
  return syntax::is_word(name) ? name : "";
}

std::string use_text(const syntax::Use& use) {
  return use.file ? use.file->text : use.module.text();
}

Scope::Scope(std::vector<Module> modules, diag::Sink& sink)
    : modules_(std::move(modules)), indices_(modules_.size()) {
  for (size_t m = 0; m < modules_.size(); ++m) {
    const syntax::File& tree = *modules_[m].tree;
    Index& index = indices_[m];
    for (uint32_t i = 0; i < tree.uses.size(); ++i) {
      const syntax::Use& use = tree.uses[i];
      const std::string name = use_name(use);
      // Of a file that is not there, nothing else is reported.
      if (name.empty() && !modules_[m].uses[i].valid()) continue;
      if (name.empty()) {
        sink.add(diag::code::module_without_name, span_of_name(use), use_text(use))
            .help("give it a name: `use \"{}\" as NAME`", use_text(use));
        continue;
      }
      const auto [at, added] = index.aliases.emplace(name, i);
      if (added) continue;
      sink.add(diag::code::redefinition, span_of_name(use), "module", name)
          .related(span_of_name(tree.uses[at->second]), "first used here")
          .help("give one of them another name with `as`");
    }
    collect(tree.patterns, "pattern", index.nouns[static_cast<size_t>(Noun::pattern)], sink);
    collect(tree.labels, "vocabulary", index.nouns[static_cast<size_t>(Noun::labels)], sink);
    collect(tree.tables, "table", index.nouns[static_cast<size_t>(Noun::table)], sink);
    collect(tree.costs, "cost", index.nouns[static_cast<size_t>(Noun::cost)], sink);
    collect(tree.engines, "engine", index.nouns[static_cast<size_t>(Noun::engine)], sink);
  }
}

std::optional<Found> Scope::own(source::FileId module, std::string_view name, Noun noun) const {
  const Names& names = names_of(module, noun);
  const auto at = names.find(std::string(name));
  return at == names.end() ? std::nullopt : std::optional(Found{module, at->second});
}

std::vector<std::string> Scope::names(source::FileId module, Noun noun) const {
  std::vector<std::string> names;
  for (const auto& [name, index] : names_of(module, noun)) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

std::optional<source::FileId> Scope::alias(source::FileId from, std::string_view name) const {
  const Names& aliases = indices_[from.index].aliases;
  const auto at = aliases.find(std::string(name));
  return at == aliases.end() ? std::nullopt : std::optional(modules_[from.index].uses[at->second]);
}

std::optional<Found> Scope::look(source::FileId from, const syntax::Path& path, Noun noun) const {
  if (path.parts.size() == 1) return own(from, path.parts[0].text, noun);
  if (path.parts.size() != 2) return std::nullopt;
  const auto module = alias(from, path.parts[0].text);
  return module && module->valid() ? own(*module, path.parts[1].text, noun) : std::nullopt;
}

std::optional<Found> Scope::find(source::FileId from, const syntax::Path& path, Noun noun,
                                 diag::Sink& sink) const {
  if (auto found = look(from, path, noun)) return found;
  if (path.parts.size() == 1) {
    report_unknown(from, path, from, noun, sink);
  } else if (path.parts.size() > 2) {
    diag::Diagnostic& added = add_unknown(noun, path.span, path.text(), sink);
    const std::string& module = path.parts[path.parts.size() - 2].text;
    const std::string meant = module + '.' + path.parts.back().text;
    if (alias(from, module)) {
      added.help("write `{}`", meant).suggest(path.span, meant);
    } else {
      added.help("write `use {}` at the top of the file, and `{}` here",
                 path.text().substr(0, path.text().rfind('.')), meant);
    }
  } else if (!path.parts.empty()) {
    const auto module = alias(from, path.parts[0].text);
    if (!module) {
      report_alias(from, path.parts[0], sink);
    } else if (module->valid()) {
      report_unknown(from, path, *module, noun, sink);
    }
  }
  return std::nullopt;
}

void Scope::report_unknown(source::FileId from, const syntax::Path& path, source::FileId in,
                           Noun noun, diag::Sink& sink) const {
  const syntax::Word& name = path.parts.back();
  diag::Diagnostic& added = add_unknown(noun, name.span, path.text(), sink);
  if (!worth_suggesting(sink)) return;
  if (noun == Noun::pattern && own(in, name.text, Noun::table)) {
    added.help("that is a table: write `include {}` without a label", path.text());
    return;
  }
  const std::vector<std::string> known = names(in, noun);
  if (path.parts.size() == 2) {
    suggest(added, name.text, known, path.parts[0].text + ".", sink);
    return;
  }
  if (const auto near = near_name(name.text, known, sink)) {
    added.help("did you mean `{}`?", *near).suggest(name.span, *near);
    return;
  }
  for (const syntax::Use& use : tree(from).uses) {
    const std::string alias_name = use_name(use);
    const auto module = alias(from, alias_name);
    if (!module || !module->valid()) continue;
    if (own(*module, name.text, noun)) {
      added.help("{} `{}` is in a module: write `{}.{}`", noun_texts[static_cast<size_t>(noun)],
                 name.text, alias_name, name.text);
      added.suggest(name.span, alias_name + '.' + name.text);
      return;
    }
    if (alias_name == name.text) {
      added.help("`{0}` is a module: write `{0}.NAME`", alias_name);
      return;
    }
  }
  if (noun != Noun::pattern) {
    if (!known.empty()) suggest(added, name.text, known, "", sink);
    return;
  }
  if (const std::string_view help = help_for_word(name.text); !help.empty()) {
    added.help_ = help;
    if (operation_kind_from(name.text)) added.suggest(name.span, '@' + name.text);
    return;
  }
  static const std::vector<std::string> words{"otherwise", "within"};
  const std::string_view meant = syntax::keyword_for(name.text);
  const auto near = near_name(name.text, words, sink);
  if (near || meant == "otherwise" || meant == "within") {
    const std::string keyword = near ? *near : std::string(meant);
    added.help("did you mean `{}`?", keyword).suggest(name.span, keyword);
    return;
  }
  added.help("a text of a name is written in quotes: `\"{}\"`", name.text)
      .suggest(name.span, syntax::quoted_text(name.text));
}

void Scope::report_alias(source::FileId from, const syntax::Word& alias, diag::Sink& sink) const {
  // What uses a module under its right name is not wrong: the `use` is, and was reported.
  const std::vector<syntax::Use>& uses = tree(from).uses;
  for (size_t i = 0; i < uses.size(); ++i) {
    if (modules_[from.index].uses[i].valid()) continue;
    constexpr size_t near = 2;
    if (edit_distance(use_name(uses[i]), alias.text) <= near) return;
    if (names_part(use_text(uses[i]), alias.text)) return;
  }
  diag::Diagnostic& added = sink.add(diag::code::unknown_alias, alias.span, alias.text);
  if (!worth_suggesting(sink)) return;
  std::vector<std::string> known;
  for (const auto& [name, index] : indices_[from.index].aliases) known.push_back(name);
  std::ranges::sort(known);
  if (const auto near = near_name(alias.text, known, sink)) {
    added.help("did you mean `{}`?", *near).suggest(alias.span, *near);
  } else {
    added.help("add a `use` at the top of the file: `use std.{}`", alias.text);
  }
}

}  // namespace kr::sema
