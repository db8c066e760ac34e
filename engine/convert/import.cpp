#include "convert/import.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "convert/from_python.hpp"
#include "convert/import_check.hpp"
#include "convert/rules_text.hpp"
#include "syntax/words.hpp"

namespace kr::convert {
namespace {

constexpr size_t shown = 60;  // bytes of a pattern in a message

class Importer {
 public:
  Importer(const source::SourceMap& sources, diag::Sink& sink) : sources_(sources), sink_(sink) {}

  Imported import(const std::vector<PatternEngine>& engines, source::FileId file) {
    RulesText text;
    text.doc = fmt::format(
        "The tables of {}, rewritten by `kr import`.\n\n"
        "A name gets the label that the first matching pattern of its table gives it there.",
        std::filesystem::path(sources_.path(file)).filename().string());
    for (const PatternEngine& engine : engines) {
      EngineText& into = text.engines.emplace_back();
      into.name = engine.name;
      into.title = engine.title;
      for (const PatternModel& model : engine.models) into.models.push_back(imported(model, text));
      lift(into);
    }
    Imported result;
    result.text = to_text(text);
    result.rules = rules_;
    result.left_out = left_out_;
    result.proven = check_import(result.text, engines, left_out_of_);
    return result;
  }

 private:
  ModelText imported(const PatternModel& model, RulesText& text) {
    ModelText result{model.name, model.title, model.doc, {}};
    for (const PatternTable& table : model.tables) {
      BlockText& block = result.blocks.emplace_back();
      block.dimension = table.dimension;
      for (const PatternRule& rule : table.rules) add(block, rule, vocabulary(text, table));
      // A last rule that always matches becomes `otherwise`.
      if (!block.rules.empty() && block.rules.back().always) block.rules.back().otherwise = true;
    }
    return result;
  }

  static LabelsText& vocabulary(RulesText& text, const PatternTable& table) {
    for (LabelsText& labels : text.labels) {
      if (labels.dimension == table.dimension) return labels;
    }
    return text.labels.emplace_back(LabelsText{table.dimension, {}});
  }

  void add(BlockText& block, const PatternRule& rule, LabelsText& labels) {
    ++rules_;
    std::string why;
    std::string help;
    const auto ported = port_rule(rule.pattern, why, help);
    if (!ported) {
      ++left_out_;
      left_out_of_.insert(&rule);
      auto& finding =
          sink_.add(diag::code::import_left_out, rule.span, excerpt(rule.pattern, shown), why);
      if (!help.empty()) finding.help("{}", help);
      RuleText& comment = block.rules.emplace_back();
      comment.comment = printable(fmt::format("{}: /{}/ is omitted: {}",
                                              syntax::label_text(rule.label), rule.pattern, why));
      return;
    }
    labels.add(rule.label);
    RuleText* last = block.rules.empty() ? nullptr : &block.rules.back();
    if (last == nullptr || !last->comment.empty() || last->label != rule.label ||
        last->always != ported->always) {
      last = &block.rules.emplace_back();
      last->label = rule.label;
      last->always = ported->always;
    } else if (ported->always) {
      return;
    }
    last->atoms.insert(last->atoms.end(), ported->atoms.begin(), ported->atoms.end());
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
    size_t same = 0;
    while (same < a.size() && same < b.size() && a[a.size() - 1 - same] == b[b.size() - 1 - same]) {
      ++same;
    }
    return same;
  }

  const source::SourceMap& sources_;
  diag::Sink& sink_;
  size_t rules_ = 0;
  size_t left_out_ = 0;
  std::set<const PatternRule*> left_out_of_;
};

void choose(std::vector<PatternEngine>& engines, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return;
  const auto is = [](const PatternEngine& engine, const std::string& name) {
    return engine.name == name || engine.title == name;
  };
  for (const std::string& name : wanted) {
    if (std::any_of(engines.begin(), engines.end(), [&](const auto& e) { return is(e, name); })) {
      continue;
    }
    std::vector<std::string> names;
    names.reserve(engines.size());
    for (const PatternEngine& engine : engines) names.push_back(engine.name);
    throw Error("", fmt::format("the file has no engine `{}`", printable(name)),
                near_or_all(name, names));
  }
  std::erase_if(engines, [&](const PatternEngine& engine) {
    return std::none_of(wanted.begin(), wanted.end(),
                        [&](const std::string& name) { return is(engine, name); });
  });
}

}  // namespace

Imported import_tables(const source::SourceMap& sources, source::FileId file,
                       const std::vector<std::string>& only_engines, diag::Sink& sink) {
  std::vector<PatternEngine> engines = read_pattern_tables(sources, file, sink);
  choose(engines, only_engines);
  return Importer(sources, sink).import(engines, file);
}

}  // namespace kr::convert
