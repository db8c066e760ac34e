// KR320, KR410: labels of one dimension with the same or similar colours.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/ascii.hpp"
#include "lint/checks.hpp"
#include "lint/color_distance.hpp"

namespace kr::lint {
namespace {

std::string normal(const std::string& written) {
  std::string color = lowered(written);
  if (color.size() != 4) return color;
  return {'#', color[1], color[1], color[2], color[2], color[3], color[3]};
}

class Colors {
 public:
  Colors(const Context& context, diag::Sink& sink) : context_(context), sink_(sink) {}

  /// Compares all pairs of labels of a dimension that have not been compared.
  void compare(const std::string& dimension, const std::vector<sema::Label>& labels) {
    for (size_t i = 0; i < labels.size(); ++i) {
      for (size_t k = 0; k < i; ++k) compare(dimension, labels[k], labels[i]);
    }
  }

 private:
  void compare(const std::string& dimension, const sema::Label& first, const sema::Label& second) {
    if (first.color.empty() || second.color.empty()) return;
    if (!context_.is_root(first.span.file) && !context_.is_root(second.span.file)) return;
    const auto key = [](source::Span span) { return std::pair(span.file, span.begin); };
    const bool swap = !context_.is_root(second.span.file) ||
                      (context_.is_root(first.span.file) && key(second.span) < key(first.span));
    const sema::Label& one = swap ? second : first;
    const sema::Label& other = swap ? first : second;  // of a root file
    if (!compared_.insert({key(one.span), key(other.span)}).second) return;
    const std::string color = normal(one.color);
    const std::string near = normal(other.color);
    if (color == near) {
      sink_.add(diag::code::same_color, other.span, other.name, one.name, color, dimension)
          .related(one.span, "first used by `{}`", one.name)
          .help("give one of them another colour");
      return;
    }
    const double distance = color_distance(color, near);
    if (distance >= similar_colors) return;
    sink_
        .add(diag::code::similar_colors, other.span, other.name, one.name,
             fmt::format("{:.1f}", distance))
        .related(one.span, "`{}` is {}", one.name, color)
        .help("colours of a chart should differ by at least {} (CIEDE2000)", similar_colors);
  }

  using Key = std::pair<source::FileId, uint32_t>;
  const Context& context_;
  diag::Sink& sink_;
  std::set<std::pair<Key, Key>> compared_;
};

}  // namespace

void check_colors(const Context& context, diag::Sink& sink) {
  Colors colors(context, sink);
  for (const sema::LoadedFile* file : context.roots) {
    for (const syntax::Labels& declared : file->tree.labels) {
      std::vector<sema::Label> labels;
      for (const syntax::LabelDecl& one : declared.labels) {
        if (!one.color) continue;
        labels.push_back({one.label.text, "", one.color->text, "", one.label.span});
      }
      colors.compare(declared.dimension.text, labels);
    }
  }
  const sema::Program& program = context.program();
  for (const sema::Model& model : program.models) {
    for (const sema::Table& table : model.tables) {
      colors.compare(program.dimensions.get(table.dimension).name, table.vocabulary);
    }
  }
}

}  // namespace kr::lint
