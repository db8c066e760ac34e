#include "convert/rules_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "layout/layout.hpp"
#include "syntax/keywords.hpp"

namespace kr::convert {
namespace {

class Writer {
 public:
  explicit Writer(const RulesText& rules) : rules_(rules) {}

  std::string write() {
    text_ += doc_lines(rules_.doc, "");
    for (const LabelsText& labels : rules_.labels) write(labels);
    for (const EngineText& engine : rules_.engines) write(engine);
    return std::move(text_);
  }

 private:
  void write(const LabelsText& labels) {
    if (labels.labels.empty()) return;
    const auto in_quotes = [](const std::string& label) {
      return !is_word(label) || syntax::is_keyword(label);
    };
    // A title stands between a label and the next one's quotes.
    const bool titled = std::any_of(labels.labels.begin(), labels.labels.end(), in_quotes);
    text_ += fmt::format("\nlabels {} {{\n", labels.dimension);
    for (const std::string& label : labels.labels) {
      text_ += "  " + (in_quotes(label) ? quoted_text(label) : label);
      if (titled) text_ += " " + quoted_text(label);
      text_ += '\n';
    }
    text_ += "}\n";
  }

  void write(const EngineText& engine) {
    text_ += fmt::format("\nengine {}{} {{\n", engine.name, title(engine.title));
    bool first = true;
    for (const BlockText& block : engine.blocks) {
      if (!first) text_ += '\n';
      first = false;
      write(block, 2);
    }
    for (const ModelText& model : engine.models) {
      if (!first) text_ += '\n';
      first = false;
      text_ += doc_lines(model.doc, "  ");
      text_ += fmt::format("  model {}{} {{\n", model.name, title(model.title));
      for (const BlockText& block : model.blocks) write(block, 4);
      text_ += "  }\n";
    }
    text_ += "}\n";
  }

  static std::string title(const std::string& title) {
    return title.empty() ? "" : " " + quoted_text(title);
  }

  void write(const BlockText& block, size_t indent) {
    if (block.rules.empty()) return;
    text_ += fmt::format("{:{}}{} {{\n", "", indent, block.dimension);
    for (const RuleText& rule : block.rules) write(rule, indent + 2);
    text_ += fmt::format("{:{}}}}\n", "", indent);
  }

  void write(const RuleText& rule, size_t indent) {
    if (!rule.comment.empty()) {
      text_ += fmt::format("{:{}}# {}\n", "", indent, rule.comment);
      return;
    }
    std::string line = fmt::format("{:{}}{}:", "", indent, label_text(rule.label));
    if (rule.otherwise) {
      text_ += line + " otherwise\n";
      return;
    }
    for (size_t i = 0; i < rule.atoms.size(); ++i) line += (i == 0 ? " " : " | ") + rule.atoms[i];
    text_ += line + '\n';
  }

  const RulesText& rules_;
  std::string text_;
};

}  // namespace

BlockText* ModelText::block(const std::string& dimension) {
  for (BlockText& block : blocks) {
    if (block.dimension == dimension) return &block;
  }
  return nullptr;
}

const BlockText* ModelText::block(const std::string& dimension) const {
  return const_cast<ModelText*>(this)->block(dimension);
}

void LabelsText::add(const std::string& label) {
  if (known.insert(label).second) labels.push_back(label);
}

std::string to_text(const RulesText& rules) {
  return layout::laid_out(Writer(rules).write());
}

}  // namespace kr::convert
