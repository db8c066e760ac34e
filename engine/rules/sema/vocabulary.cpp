#include "sema/vocabulary.hpp"

#include <algorithm>
#include <optional>

#include "base/ascii.hpp"
#include "sema/order.hpp"

namespace kr::sema {
namespace {

/// Normalizes `#rrggbb` or `#rgb` to `#rrggbb`.
std::optional<std::string> color_of(std::string_view text) {
  const auto is_hex = [](char c) { return hex_value(c) >= 0; };
  if (text.empty() || text[0] != '#' || !std::all_of(text.begin() + 1, text.end(), is_hex)) {
    return std::nullopt;
  }
  if (text.size() == 7) return std::string(text);
  if (text.size() != 4) return std::nullopt;
  return std::string{'#', text[1], text[1], text[2], text[2], text[3], text[3]};
}

bool is_kind_label(std::string_view label) {
  return std::ranges::find(kind_labels, label) != std::end(kind_labels);
}

}  // namespace

void Vocabulary::add(const Label& label) {
  const auto [at, added] = places_.emplace(label.name, labels_.size());
  if (added) {
    labels_.push_back(label);
    return;
  }
  Label& nearer = labels_[at->second];
  if (nearer.title.empty()) nearer.title = label.title;
  if (nearer.color.empty()) nearer.color = label.color;
  if (nearer.doc.empty()) nearer.doc = label.doc;
}

void Vocabulary::add(const Vocabulary& farther) {
  if (farther.closed_) close(farther.declared_);
  for (const Label& label : farther.labels_) add(label);
}

std::vector<std::string> Vocabulary::names() const {
  std::vector<std::string> names;
  names.reserve(labels_.size());
  for (const Label& label : labels_) names.push_back(label.name);
  return names;
}

bool is_reserved(std::string_view label) {
  return label == reserved::unclassified || label == reserved::others || label == reserved::self ||
         label == reserved::non_gpu;
}

bool report_reserved(const syntax::Word& label, diag::Sink& sink) {
  if (!is_reserved(label.text)) return false;
  sink.add(diag::code::reserved_label, label.span, label.text)
      .help("only kr gives it; choose another, such as `{}_`", label.text == reserved::self ? "self"
                                                               : label.text == reserved::non_gpu
                                                                   ? "cpu"
                                                                   : label.text);
  return true;
}

Vocabularies::Vocabularies(const Scope& scope, Budget& budget, diag::Sink& sink)
    : scope_(scope), budget_(budget), sink_(sink), declared_(scope.modules().size()) {
  const Numbering numbering = scope.number(&syntax::File::labels);
  const std::vector<Found>& all = numbering.all;
  const auto labels = [&](uint32_t node) -> const syntax::Labels& {
    return scope.tree(all[node].module).labels[all[node].index];
  };
  std::vector<std::vector<uint32_t>> edges(all.size());
  for (uint32_t node = 0; node < all.size(); ++node) {
    if (!labels(node).extends) continue;
    if (const auto base = scope.find(all[node].module, *labels(node).extends, Noun::labels, sink)) {
      edges[node].push_back(numbering.number(*base));
    }
  }
  const auto order = dependencies_first(edges, [&](const std::vector<uint32_t>& path) {
    sink.add(diag::code::extends_cycle, labels(path.front()).extends->span,
             cycle_text(path, [&](uint32_t node) { return labels(node).dimension.text; }));
  });
  for (const uint32_t node : order) {
    Vocabulary vocabulary;
    declare(all[node], vocabulary);
    // A second declaration was reported; the first one counts.
    declared_[all[node].module.index].emplace(labels(node).dimension.text, std::move(vocabulary));
  }
}

void Vocabularies::declare(Found found, Vocabulary& vocabulary) {
  const syntax::Labels& written = scope_.tree(found.module).labels[found.index];
  vocabulary.close(written.dimension.span);
  for (const syntax::LabelDecl& one : written.labels) {
    if (report_reserved(one.label, sink_)) continue;
    if (vocabulary.has(one.label.text)) {
      const auto& labels = vocabulary.labels();
      const auto first = std::ranges::find(labels, one.label.text, &Label::name);
      sink_.add(diag::code::redefinition, one.label.span, "label", one.label.text)
          .related(first->span, "first declared here");
      continue;
    }
    if (written.dimension.text == "kind" && !is_kind_label(one.label.text)) {
      sink_.add(diag::code::unknown_label, one.label.span, one.label.text, "kind")
          .help("`kind` has exactly `compute`, `communication` and `memory`");
      continue;
    }
    Label label{one.label.text, one.title ? one.title->text : "", "", one.doc, one.label.span};
    if (one.color) {
      if (auto color = color_of(one.color->text)) {
        label.color = std::move(*color);
      } else {
        sink_.add(diag::code::bad_color, one.color->span, one.color->text)
            .help("write it as red, green and blue in hex digits: `#4e79a7`");
      }
    }
    vocabulary.add(label);
  }
  if (!written.extends) return;
  const auto base = scope_.look(found.module, *written.extends, Noun::labels);
  if (!base) return;
  const auto& known = declared_[base->module.index];
  const auto at = known.find(scope_.tree(base->module).labels[base->index].dimension.text);
  if (at == known.end()) return;  // closes a cycle
  if (budget_.spend(8 * at->second.labels().size(), written.extends->span)) {
    vocabulary.add(at->second);
  }
}

const Vocabulary& Vocabularies::of(source::FileId module, std::string_view dimension) const {
  static const Vocabulary open;
  const auto& known = declared_[module.index];
  const auto at = known.find(std::string(dimension));
  return at == known.end() ? open : at->second;
}

Vocabulary Vocabularies::merged(const std::vector<source::FileId>& modules,
                                std::string_view dimension) const {
  Vocabulary all;
  for (const source::FileId module : modules) all.add(of(module, dimension));
  if (dimension == "kind") {
    all.close({});
    for (const std::string_view label : kind_labels) all.add({std::string(label), "", "", "", {}});
  }
  return all;
}

}  // namespace kr::sema
