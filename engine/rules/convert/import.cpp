#include "convert/import.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "convert/from_python.hpp"
#include "layout/layout.hpp"
#include "syntax/words.hpp"

namespace kr::convert {
namespace {

constexpr size_t shown = 60;  // bytes of a pattern in a message

class Importer {
 public:
  Importer(const source::SourceMap& sources, diag::Sink& sink) : sources_(sources), sink_(sink) {}

  Imported import(std::vector<EngineText> tables, source::FileId file) {
    RulesText text;
    text.doc = fmt::format(
        "The tables of {}, rewritten by `kr import`.\n\n"
        "A name gets the label that the first matching pattern of its table gives it there.",
        std::filesystem::path(sources_.path(file)).filename().string());
    for (EngineText& engine : tables) {
      EngineText& into = text.engines.emplace_back(engine);
      for (size_t model = 0; model < into.models.size(); ++model) {
        for (size_t block = 0; block < into.models[model].blocks.size(); ++block) {
          port(engine.models[model].blocks[block], into.models[model].blocks[block], text);
        }
      }
      lift(into);
    }
    result_.text = layout::laid_out(to_text(text));
    result_.proven = check_import(result_.text, tables);
    return std::move(result_);
  }

 private:
  /// Writes the rules of a table, and removes those that the dialect cannot express from it.
  void port(BlockText& table, BlockText& block, RulesText& text) {
    block.rules.clear();
    std::erase_if(table.rules, [&](const RuleText& rule) {
      return !add(block, rule, vocabulary(text, table.dimension));
    });
    // A last rule that always matches becomes `otherwise`.
    if (!block.rules.empty() && block.rules.back().always) block.rules.back().otherwise = true;
  }

  static LabelsText& vocabulary(RulesText& text, const std::string& dimension) {
    for (LabelsText& labels : text.labels) {
      if (labels.dimension == dimension) return labels;
    }
    return text.labels.emplace_back(LabelsText{dimension, {}});
  }

  /// False, with a comment in place of the rule, if the dialect cannot express it.
  bool add(BlockText& block, const RuleText& rule, LabelsText& labels) {
    ++result_.rules;
    const std::string& pattern = rule.atoms[0];
    std::string why;
    std::string help;
    const auto ported = port_rule(pattern, why, help);
    if (!ported) {
      ++result_.left_out;
      auto& finding =
          sink_.add(diag::code::import_left_out, rule.span, excerpt(pattern, shown), why);
      if (!help.empty()) finding.help("{}", help);
      block.rules.emplace_back().comment = printable(
          fmt::format("{}: /{}/ is omitted: {}", syntax::label_text(rule.label), pattern, why));
      return false;
    }
    labels.add(rule.label);
    RuleText* last = block.rules.empty() ? nullptr : &block.rules.back();
    if (last == nullptr || !last->comment.empty() || last->label != rule.label ||
        last->always != ported->always) {
      last = &block.rules.emplace_back();
      last->label = rule.label;
      last->always = ported->always;
    } else if (ported->always) {
      return true;
    }
    last->atoms.insert(last->atoms.end(), ported->atoms.begin(), ported->atoms.end());
    return true;
  }

  /// The rules that end the blocks of all models move to the engine, whose rules are tried after
  /// those of the model.
  static void lift(EngineText& engine) {
    if (engine.models.size() < 2) return;
    for (const BlockText& block : engine.models.front().blocks) {
      size_t common = block.rules.size();
      for (ModelText& model : engine.models) {
        const BlockText* other = model.block(block.dimension);
        common = other == nullptr ? 0 : std::min(common, same_tail(block.rules, other->rules));
      }
      if (common == 0) continue;
      BlockText lifted{block.dimension,
                       {block.rules.end() - static_cast<ptrdiff_t>(common), block.rules.end()}};
      engine.blocks.push_back(std::move(lifted));
    }
    for (const BlockText& lifted : engine.blocks) {
      for (ModelText& model : engine.models) {
        auto& rules = model.block(lifted.dimension)->rules;
        rules.resize(rules.size() - lifted.rules.size());
      }
    }
  }

  static size_t same_tail(const std::vector<RuleText>& a, const std::vector<RuleText>& b) {
    const auto first = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first;
    return static_cast<size_t>(first - a.rbegin());
  }

  const source::SourceMap& sources_;
  diag::Sink& sink_;
  Imported result_;
};

void choose(std::vector<EngineText>& engines, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return;
  const auto is = [](const EngineText& engine, const std::string& name) {
    return engine.name == name || engine.title == name;
  };
  for (const std::string& name : wanted) {
    if (std::any_of(engines.begin(), engines.end(), [&](const auto& e) { return is(e, name); })) {
      continue;
    }
    std::vector<std::string> names;
    names.reserve(engines.size());
    for (const EngineText& engine : engines) names.push_back(engine.name);
    throw Error("", fmt::format("the file has no engine `{}`", printable(name)),
                near_or_all(name, names));
  }
  std::erase_if(engines, [&](const EngineText& engine) {
    return std::none_of(wanted.begin(), wanted.end(),
                        [&](const std::string& name) { return is(engine, name); });
  });
}

}  // namespace

Imported import_tables(const source::SourceMap& sources, source::FileId file,
                       const std::vector<std::string>& only_engines, diag::Sink& sink) {
  std::vector<EngineText> engines = read_pattern_tables(sources, file, sink);
  choose(engines, only_engines);
  return Importer(sources, sink).import(std::move(engines), file);
}

}  // namespace kr::convert
