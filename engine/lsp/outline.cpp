// The declarations of a file, as a tree.
#include <algorithm>
#include <functional>

#include "base/plural.hpp"
#include "lsp/features.hpp"

namespace kr::lsp {
namespace {

/// SymbolKind of the protocol.
enum class OutlineKind : int {
  module = 2,
  space = 3,
  type = 5,
  property = 7,
  list = 18,
  key = 20,
  item = 22,
  event = 24
};

class Outline {
 public:
  Outline(const Analysis& analysis, Encoding encoding, Writer& out)
      : analysis_(analysis), tree_(analysis.tree()), encoding_(encoding), out_(out) {}

  void write() {
    Parts parts;
    for (const syntax::Use& use : tree_.uses) {
      parts.emplace_back(use.span.begin, [&] {
        leaf(sema::use_text(use), "", OutlineKind::module, use.span,
             use.file ? use.file->span : use.module.span);
      });
    }
    for (const syntax::Pattern& pattern : tree_.patterns) {
      parts.emplace_back(pattern.span.begin, [&] {
        leaf(pattern.name.text, "pattern", OutlineKind::property, pattern.span, pattern.name.span);
      });
    }
    for (const syntax::Labels& labels : tree_.labels) {
      parts.emplace_back(labels.span.begin, [&] { write(labels); });
    }
    for (const syntax::Table& table : tree_.tables) {
      parts.emplace_back(table.span.begin, [&] {
        open(table.name.text, "table for " + table.dimension.text, OutlineKind::list, table.span,
             table.name.span);
        rules(table.rules);
        close();
      });
    }
    for (const syntax::Engine& engine : tree_.engines) {
      parts.emplace_back(engine.span.begin, [&] { write(engine); });
    }
    for (const syntax::Test& test : tree_.tests) {
      parts.emplace_back(test.span.begin, [&] {
        const std::string name = test.engine.text + (test.model ? "/" + test.model->text : "");
        leaf("test " + name, plural(test.cases.size(), "case"), OutlineKind::event, test.span,
             test.engine.span);
      });
    }
    out_.open('[');
    in_order(parts);
    out_.close(']');
  }

 private:
  /// The parts of the outline by the byte where they begin.
  using Parts = std::vector<std::pair<uint32_t, std::function<void()>>>;
  static void in_order(Parts& parts) {
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [begin, write] : parts) write();
  }

  void write(const syntax::Labels& labels) {
    open(labels.dimension.text, "labels", OutlineKind::list, labels.span, labels.dimension.span);
    for (const syntax::LabelDecl& label : labels.labels) {
      leaf(label.label.text, label.title ? label.title->text : "", OutlineKind::item, label.span,
           label.label.span);
    }
    close();
  }

  void write(const syntax::Engine& engine) {
    open(engine.name.text, engine.title ? engine.title->text : "engine", OutlineKind::space,
         engine.span, engine.name.span);
    Parts parts;
    add_blocks(engine.body, parts);
    for (const syntax::Model& model : engine.models) {
      parts.emplace_back(model.span.begin, [&] {
        open(model.name.text, model.title ? model.title->text : "model", OutlineKind::type,
             model.span, model.name.span);
        Parts inner;
        add_blocks(model.body, inner);
        in_order(inner);
        close();
      });
    }
    in_order(parts);
    close();
  }

  void open(const std::string& name, const std::string& detail, OutlineKind kind, source::Span span,
            source::Span selection) {
    out_.open('{');
    out_.key("name").text(name.empty() ? "…" : name);
    if (!detail.empty()) out_.key("detail").text(detail);
    out_.key("kind").number(static_cast<int>(kind));
    // The protocol requires the selection to be inside the range.
    if (selection.begin < span.begin || selection.end > span.end) selection = span;
    out_.key("range").range(analysis_.range(span, encoding_));
    out_.key("selectionRange").range(analysis_.range(selection, encoding_));
    out_.key("children").open('[');
  }
  void close() {
    out_.close(']');
    out_.close('}');
  }
  void leaf(const std::string& name, const std::string& detail, OutlineKind kind, source::Span span,
            source::Span selection) {
    open(name, detail, kind, span, selection);
    close();
  }

  void rules(const std::vector<syntax::Rule>& all) {
    for (const syntax::Rule& rule : all) {
      switch (rule.kind) {
        case syntax::RuleKind::include:
          leaf(rule.table.text(), "include", OutlineKind::module, rule.span, rule.table.span);
          break;
        case syntax::RuleKind::otherwise_keep:
          leaf("otherwise keep", "", OutlineKind::key, rule.span, rule.span);
          break;
        case syntax::RuleKind::rule:
        case syntax::RuleKind::replace:
        case syntax::RuleKind::drop:
          leaf(rule.label.text,
               rule.kind == syntax::RuleKind::drop      ? "drop"
               : rule.kind == syntax::RuleKind::replace ? "replace"
                                                        : "",
               OutlineKind::key, rule.span, rule.label.span);
          break;
      }
    }
  }

  void add_blocks(const syntax::Body& body, Parts& parts) {
    for (const auto* blocks : {&body.phases, &body.dimensions}) {
      for (const syntax::Block& block : *blocks) {
        parts.emplace_back(block.span.begin, [&] {
          open(block.dimension.text, "", OutlineKind::list, block.span, block.dimension.span);
          rules(block.rules);
          close();
        });
      }
    }
  }

  const Analysis& analysis_;
  const syntax::File& tree_;
  Encoding encoding_;
  Writer& out_;
};

}  // namespace

void write_symbols(Question question, Writer& out) {
  Outline(analysis_of(question), question.encoding, out).write();
}

}  // namespace kr::lsp
