// The declarations of a file, as a tree.
#include <algorithm>
#include <set>

#include "base/ascii.hpp"
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

struct Node {
  std::string name;
  std::string detail;
  OutlineKind kind = OutlineKind::key;
  source::Span span;
  source::Span selection;
  std::vector<Node> children = {};
};

std::string title_or(const std::optional<syntax::Word>& title, std::string_view otherwise) {
  return std::string(title ? std::string_view(title->text) : otherwise);
}

std::vector<Node> nodes_of(const std::vector<syntax::Rule>& rules) {
  std::vector<Node> nodes;
  for (const syntax::Rule& rule : rules) {
    switch (rule.kind) {
      case syntax::RuleKind::include:
        nodes.push_back(
            {rule.table.text(), "include", OutlineKind::module, rule.span, rule.table.span});
        break;
      case syntax::RuleKind::ignore:
      case syntax::RuleKind::continues:
        nodes.push_back({rule.kind == syntax::RuleKind::ignore ? "ignore" : "continue", "",
                         OutlineKind::key, rule.span, rule.span});
        break;
      case syntax::RuleKind::otherwise_keep:
        nodes.push_back({"otherwise keep", "", OutlineKind::key, rule.span, rule.span});
        break;
      case syntax::RuleKind::rule:
      case syntax::RuleKind::image:
        nodes.push_back({rule.label.text, "", OutlineKind::key, rule.span, rule.label.span});
        break;
      case syntax::RuleKind::refine:
        nodes.push_back({rule.label.text, "refine", OutlineKind::list, rule.span, rule.label.span,
                         nodes_of(rule.refined)});
        break;
    }
  }
  return nodes;
}

Node node_of(const syntax::CostBlock& block);

std::vector<Node> nodes_of(const syntax::Body& body) {
  std::vector<Node> nodes;
  for (const auto* blocks : {&body.phases, &body.dimensions}) {
    for (const syntax::Block& block : *blocks) {
      nodes.push_back({block.dimension.text, "", OutlineKind::list, block.span,
                       block.dimension.span, nodes_of(block.rules)});
    }
  }
  for (const syntax::CostBlock& block : body.costs) nodes.push_back(node_of(block));
  return nodes;
}

Node node_of(const syntax::CostBlock& block) {
  return {"cost" + (block.name ? " " + block.name->text : ""),
          plural(block.clauses.size(), "clause"), OutlineKind::list, block.span,
          block.name ? block.name->span : block.keyword};
}

Node node_of(const syntax::Labels& labels) {
  Node node{labels.dimension.text, "labels", OutlineKind::list, labels.span, labels.dimension.span};
  for (const syntax::LabelDecl& label : labels.labels) {
    node.children.push_back({label.label.text, title_or(label.title, ""), OutlineKind::item,
                             label.span, label.label.span});
  }
  return node;
}

Node node_of(const syntax::Engine& engine) {
  Node node{engine.name.text,   title_or(engine.title, "engine"),
            OutlineKind::space, engine.span,
            engine.name.span,   nodes_of(engine.body)};
  for (const syntax::Model& model : engine.models) {
    node.children.push_back({model.name.text, title_or(model.title, "model"), OutlineKind::type,
                             model.span, model.name.span, nodes_of(model.body)});
  }
  return node;
}

std::vector<Node> nodes_of(const syntax::File& tree) {
  std::vector<Node> nodes;
  for (const syntax::Use& use : tree.uses) {
    nodes.push_back({sema::use_text(use), "", OutlineKind::module, use.span,
                     use.file ? use.file->span : use.module.span});
  }
  for (const syntax::Pattern& pattern : tree.patterns) {
    nodes.push_back(
        {pattern.name.text, "pattern", OutlineKind::property, pattern.span, pattern.name.span});
  }
  for (const syntax::Labels& labels : tree.labels) nodes.push_back(node_of(labels));
  for (const syntax::Table& table : tree.tables) {
    nodes.push_back({table.name.text, "table for " + table.dimension.text, OutlineKind::list,
                     table.span, table.name.span, nodes_of(table.rules)});
  }
  for (const syntax::CostBlock& block : tree.costs) nodes.push_back(node_of(block));
  for (const syntax::Engine& engine : tree.engines) nodes.push_back(node_of(engine));
  for (const syntax::Test& test : tree.tests) {
    const std::string name = test.engine.text + (test.model ? "/" + test.model->text : "");
    nodes.push_back({"test " + name, plural(test.cases.size(), "case"), OutlineKind::event,
                     test.span, test.engine.span});
  }
  return nodes;
}

/// In the order of the file.
void write(std::vector<Node> nodes, const Analysis& analysis, Encoding encoding, Writer& out) {
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const Node& a, const Node& b) { return a.span.begin < b.span.begin; });
  out.open('[');
  for (Node& node : nodes) {
    out.open('{');
    out.key("name").text(node.name.empty() ? "…" : node.name);
    if (!node.detail.empty()) out.key("detail").text(node.detail);
    out.key("kind").number(static_cast<int>(node.kind));
    // The protocol requires the selection to be inside the range.
    const bool inside =
        node.selection.begin >= node.span.begin && node.selection.end <= node.span.end;
    out.key("range").range(analysis.range(node.span, encoding));
    out.key("selectionRange").range(analysis.range(inside ? node.selection : node.span, encoding));
    out.key("children");
    write(std::move(node.children), analysis, encoding, out);
    out.close('}');
  }
  out.close(']');
}

/// Whether a name contains the query, in any case.
bool is_asked(const std::string& name, const std::string& query) {
  return query.empty() || lowered(name).find(lowered(query)) != std::string::npos;
}

void write_flat(const std::vector<Node>& nodes, const std::string& container,
                const std::string& query, const Analysis& analysis, Encoding encoding, size_t& left,
                Writer& out) {
  for (const Node& node : nodes) {
    // Rules and labels of blocks are many; a query finds them.
    const bool named = node.kind != OutlineKind::event && !node.name.empty();
    const bool small = node.kind == OutlineKind::key || node.kind == OutlineKind::item;
    if (named && left > 0 && (!small || !query.empty()) && is_asked(node.name, query)) {
      --left;
      out.open('{');
      out.key("name").text(node.name);
      out.key("kind").number(static_cast<int>(node.kind));
      if (!container.empty()) out.key("containerName").text(container);
      out.key("location")
          .location(analysis.uri(node.span.file), analysis.range(node.selection, encoding));
      out.close('}');
    }
    write_flat(node.children, node.name, query, analysis, encoding, left, out);
  }
}

}  // namespace

void write_workspace_symbols(Workspace& workspace, Encoding encoding, const std::string& query,
                             Writer& out) {
  constexpr size_t most = 1000;
  size_t left = most;
  std::set<std::string> seen;
  out.open('[');
  for (auto& [uri, open] : workspace.documents()) {
    const std::shared_ptr<Analysis>& analysis = workspace.analysis(open);
    if (analysis == nullptr) continue;
    for (const sema::LoadedFile& file : analysis->rules().files) {
      const std::string& of_file = analysis->uri(file.file);
      if (of_file.empty() || !seen.insert(of_file).second) continue;
      std::vector<Node> nodes = nodes_of(file.tree);
      std::erase_if(nodes, [](const Node& node) { return node.kind == OutlineKind::module; });
      write_flat(nodes, {}, query, *analysis, encoding, left, out);
    }
  }
  out.close(']');
}

void write_symbols(Question question, Writer& out) {
  const Analysis& analysis = analysis_of(question);
  write(nodes_of(analysis.tree()), analysis, question.encoding, out);
}

}  // namespace kr::lsp
