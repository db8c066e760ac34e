#include "picture/tree_picture.hpp"

#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "picture/cairo.hpp"
#include "picture/label_styles.hpp"
#include "picture/scene.hpp"
#include "picture/tree_bars.hpp"
#include "text/names.hpp"
#include "trees/names.hpp"

namespace kr::picture {
namespace {

void add_rectangle(cairo_t* context, const Rectangle& place) {
  cairo_rectangle(context, place.x, place.y, place.width, place.height);
}

void draw(const PictureScene& scene, const std::vector<std::string>& colors,
          cairo_surface_t* surface) {
  Pen pen(surface);
  cairo_t* context = pen.context();
  pen.draw_lines(scene);
  // All parts of one entry at once: a file of thousands of bars stays small.
  std::vector<const DrawnPart*> parts;
  for (const DrawnPart& part : scene.parts) {
    if (part.place.height > 0) parts.push_back(&part);
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const DrawnPart* a, const DrawnPart* b) { return a->entry < b->entry; });
  for (size_t i = 0; i < parts.size(); ++i) {
    Rectangle place = parts[i]->place;
    if (scene.gaps && place.height >= 3) {
      place.y += 0.5;
      place.height -= 0.5;
    }
    add_rectangle(context, place);
    if (i + 1 < parts.size() && parts[i + 1]->entry == parts[i]->entry) continue;
    pen.color(colors[parts[i]->entry]);
    cairo_fill(context);
  }
  for (const LegendItem& item : scene.legend) {
    add_rectangle(context, item.swatch);
    pen.color(colors[item.entry]);
    cairo_fill(context);
  }
  for (const DrawnText& text : scene.texts) pen.draw(text);
  require(cairo_status(context));
}

std::string png_of(const PictureScene& scene, const std::vector<std::string>& colors) {
  return draw_png(scene.width, scene.height,
                  [&](cairo_surface_t* surface) { draw(scene, colors, surface); });
}

std::string svg_of(const PictureScene& scene, const std::vector<std::string>& colors) {
  return draw_svg(scene.width, scene.height,
                  [&](cairo_surface_t* surface) { draw(scene, colors, surface); });
}

std::vector<std::string> facts_of(const trees::TreeView& view) {
  std::vector<std::string> facts = tree_facts(view.modules().trace);
  const trees::ViewOptions& how = view.options();
  facts.push_back(how.by_label ? fmt::format("by {}", how.dimension)
                               : fmt::format("level {}", trees::to_string(how.level)));
  if (how.by_phase) facts.push_back("one bar per phase, the mean of its steps");
  if (how.step_interval > 1) {
    facts.push_back(fmt::format("one step in {}, and the last", how.step_interval));
  }
  return facts;
}

}  // namespace

std::vector<Picture> tree_pictures(const sema::Program& program, const trees::TreeView& view,
                                   trees::Metric metric) {
  PictureWords words;
  words.facts = facts_of(view);
  words.colors = tree_colors(program, view);
  // About what the widest name of the legend has room for.
  constexpr size_t longest_name = 60;
  const size_t width = view.options().width;
  words.names.reserve(view.entries().size());
  for (const trees::ViewEntry& entry : view.entries()) words.names.push_back(entry.name);
  words.names =
      text::cut_names(words.names, width > 0 ? std::min(width, longest_name) : longest_name);
  for (size_t i = 0; i < words.names.size(); ++i) {
    words.names[i] = trees::with_count(words.names[i], view.entries()[i].siblings);
  }

  const TextMeasure width_of;
  std::vector<Picture> pictures;
  for (const TreeBars& bars : tree_bars(view, metric)) {
    words.title = fmt::format("{}: {}", tree_subject(view.modules().trace), bars.heading);
    const PictureScene scene = lay_out_picture(bars, metric, words, width_of);
    pictures.push_back({bars.file_stem, png_of(scene, words.colors), svg_of(scene, words.colors)});
  }
  return pictures;
}

}  // namespace kr::picture
