#include "convert/rules_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/join.hpp"
#include "base/printable.hpp"
#include "layout/layout.hpp"
#include "syntax/words.hpp"

namespace kr::convert {
namespace {

/// Without indentation: the layout adds it, and drops blank lines at the begin of blocks.
class Writer {
 public:
  std::string write(const RulesText& rules) {
    write_doc(rules.doc);
    for (const LabelsText& labels : rules.labels) write(labels);
    for (const EngineText& engine : rules.engines) write(engine);
    return std::move(text_);
  }

 private:
  void write_doc(std::string_view doc) {
    while (!doc.empty()) {
      const size_t end = std::min(doc.find('\n'), doc.size());
      text_ += fmt::format("##{}{}\n", end > 0 ? " " : "", printable(doc.substr(0, end)));
      doc.remove_prefix(std::min(end + 1, doc.size()));
    }
  }

  void write(const LabelsText& labels) {
    if (labels.labels.empty()) return;
    const auto in_quotes = [](const std::string& label) {
      return !syntax::is_word(label) || syntax::is_keyword(label);
    };
    // Without titles, the quotes of a label would be the title of the label before.
    const bool titled = std::any_of(labels.labels.begin(), labels.labels.end(), in_quotes);
    text_ += fmt::format("\nlabels {} {{\n", labels.dimension);
    for (const std::string& label : labels.labels) {
      text_ += in_quotes(label) ? syntax::quoted_text(label) : label;
      if (titled) text_ += " " + syntax::quoted_text(label);
      text_ += '\n';
    }
    text_ += "}\n";
  }

  void write(const EngineText& engine) {
    text_ += fmt::format("\nengine {}{} {{\n", engine.name, title(engine.title));
    for (const BlockText& block : engine.blocks) {
      text_ += '\n';
      write(block);
    }
    for (const ModelText& model : engine.models) {
      text_ += '\n';
      write_doc(model.doc);
      text_ += fmt::format("model {}{} {{\n", model.name, title(model.title));
      for (const BlockText& block : model.blocks) write(block);
      text_ += "}\n";
    }
    text_ += "}\n";
  }

  static std::string title(const std::string& title) {
    return title.empty() ? "" : " " + syntax::quoted_text(title);
  }

  void write(const BlockText& block) {
    if (block.rules.empty()) return;
    text_ += block.dimension + " {\n";
    for (const RuleText& rule : block.rules) {
      if (!rule.comment.empty()) {
        text_ += fmt::format("# {}\n", rule.comment);
      } else {
        text_ += fmt::format("{}: {}\n", syntax::label_text(rule.label),
                             rule.otherwise ? "otherwise" : join(rule.atoms, " | "));
      }
    }
    text_ += "}\n";
  }

  std::string text_;
};

}  // namespace

BlockText* ModelText::block(const std::string& dimension) {
  const auto found = std::find_if(blocks.begin(), blocks.end(), [&](const BlockText& block) {
    return block.dimension == dimension;
  });
  return found == blocks.end() ? nullptr : &*found;
}

void LabelsText::add(const std::string& label) {
  if (known.insert(label).second) labels.push_back(label);
}

std::string to_text(const RulesText& rules) {
  return Writer().write(rules);
}

std::string word_like(std::string_view text) {
  constexpr size_t longest = 100;
  std::string word;
  for (const char c : text.substr(0, longest)) word += syntax::is_word_byte(c) ? c : '_';
  if (!syntax::is_word(word)) word.insert(0, "_");
  return word;
}

}  // namespace kr::convert
