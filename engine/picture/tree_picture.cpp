#include "picture/tree_picture.hpp"

#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/integer.hpp"
#include "base/own_output.hpp"
#include "base/printable.hpp"
#include "base/sanitizer.hpp"
#include "base/utf8.hpp"
#include "picture/label_styles.hpp"
#include "picture/scene.hpp"
#include "picture/tree_bars.hpp"
#include "table/names.hpp"
#include "trees/names.hpp"

#if KR_ADDRESS_SANITIZER
// Fontconfig, below Cairo, keeps what it has read of the system's fonts until the process ends.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier)
const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() {
  return "leak:libfontconfig\n";
}
const char* __lsan_default_options();
const char* __lsan_default_options() {
  return "print_suppressions=0";
}
// NOLINTEND(bugprone-reserved-identifier)
}
#endif

namespace kr::picture {
namespace {

constexpr double pixels_a_unit = 2;  // of the PNG

struct Freed {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
template <class Thing>
using Owned = std::unique_ptr<Thing, Freed>;

void require(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw Error("", fmt::format("a picture cannot be drawn: {}", cairo_status_to_string(status)),
              "show fewer steps with --step-interval");
}

/// Letters in one typeface, measured the same at every scale.
class Pen {
 public:
  explicit Pen(cairo_surface_t* surface) : context_(cairo_create(surface)) {
    const Owned<cairo_font_options_t> options(cairo_font_options_create());
    cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(context_.get(), options.get());
  }

  cairo_t* context() const { return context_.get(); }

  double width(std::string_view text, double size, bool bold) {
    choose(size, bold);
    cairo_text_extents_t extents;
    cairo_text_extents(context_.get(), drawable(text).c_str(), &extents);
    return extents.x_advance;
  }

  void draw(const DrawnText& text) {
    choose(text.size, text.bold);
    color(text.color);
    const std::string letters = drawable(text.text);
    cairo_text_extents_t extents;
    cairo_text_extents(context_.get(), letters.c_str(), &extents);
    double before = 0;
    if (text.align == DrawnText::Align::middle) before = extents.x_advance / 2;
    if (text.align == DrawnText::Align::right) before = extents.x_advance;
    cairo_save(context_.get());
    cairo_translate(context_.get(), text.x, text.y);
    cairo_rotate(context_.get(), text.turn * 3.14159265358979323846 / 180);
    cairo_move_to(context_.get(), -before, 0);
    cairo_show_text(context_.get(), letters.c_str());
    cairo_restore(context_.get());
  }

  void color(std::string_view rgb) {
    const auto channel = [&](size_t at) {
      return integer_from<unsigned>(rgb.substr(at, 2), 16).value_or(0) / 255.0;
    };
    cairo_set_source_rgb(context_.get(), channel(1), channel(3), channel(5));
  }

 private:
  void choose(double size, bool bold) {
    if (size == size_ && bold == bold_) return;
    size_ = size;
    bold_ = bold;
    cairo_select_font_face(context_.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(context_.get(), size);
  }

  /// One typeface does not have all characters: those that it lacks are written as their number, so
  /// that names stay distinct, which empty boxes are not.
  std::string drawable(std::string_view text) {
    std::string shown;
    for (size_t at = 0; at < text.size();) {
      const size_t length = std::max<size_t>(1, utf8_length(text.substr(at)));
      const std::string_view character = text.substr(at, length);
      at += length;
      if (length == 1 || has_glyph(character)) {
        shown += character;
      } else {
        shown += fmt::format("[U+{:04X}]", code_point(character));
      }
    }
    return shown;
  }

  static uint32_t code_point(std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    uint32_t code = first & (0xffU >> (character.size() + 1));
    for (const char c : character.substr(1))
      code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
    return code;
  }

  bool has_glyph(std::string_view character) {
    cairo_glyph_t* glyphs = nullptr;
    int count = 0;
    const cairo_status_t status = cairo_scaled_font_text_to_glyphs(
        cairo_get_scaled_font(context_.get()), 0, 0, character.data(),
        static_cast<int>(character.size()), &glyphs, &count, nullptr, nullptr, nullptr);
    const bool has = status == CAIRO_STATUS_SUCCESS && count == 1 && glyphs[0].index != 0;
    cairo_glyph_free(glyphs);
    return has;
  }

  Owned<cairo_t> context_;
  double size_ = 0;
  bool bold_ = false;
};

void add_rectangle(cairo_t* context, const Rectangle& place) {
  cairo_rectangle(context, place.x, place.y, place.width, place.height);
}

void draw(const PictureScene& scene, const std::vector<std::string>& colors,
          cairo_surface_t* surface) {
  Pen pen(surface);
  cairo_t* context = pen.context();
  cairo_set_source_rgb(context, 1, 1, 1);
  cairo_rectangle(context, 0, 0, scene.width, scene.height);
  cairo_fill(context);
  cairo_set_line_width(context, 1);
  for (const DrawnLine& line : scene.lines) {
    pen.color(line.color);
    cairo_move_to(context, line.x1, line.y1);
    cairo_line_to(context, line.x2, line.y2);
    cairo_stroke(context);
  }
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

cairo_status_t append(void* out, const unsigned char* bytes, unsigned count) {
  static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

/// Adds the mark of kr as a chunk (https://www.w3.org/TR/png-3/#11tEXt) after the first, `IHDR`.
void mark_png(std::string& png) {
  constexpr size_t head = 8 + 25;  // the signature and `IHDR`
  const auto number = [](size_t value) {
    std::string bytes;
    for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(value >> shift);
    return bytes;
  };
  const std::string chunk = "tEXt" + std::string(own_png_text);
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(chunk.size()));
  png.insert(head, number(own_png_text.size()) + chunk + number(sum));
}

std::string png_of(const PictureScene& scene, const std::vector<std::string>& colors) {
  const Owned<cairo_surface_t> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(scene.width * pixels_a_unit),
                                 static_cast<int>(scene.height * pixels_a_unit)));
  require(cairo_surface_status(surface.get()));
  cairo_surface_set_device_scale(surface.get(), pixels_a_unit, pixels_a_unit);
  draw(scene, colors, surface.get());
  std::string bytes;
  require(cairo_surface_write_to_png_stream(surface.get(), append, &bytes));
  mark_png(bytes);
  return bytes;
}

/// Cairo numbers all surfaces of a process and writes the number to the file; two runs should not
/// differ.
void forget_number(std::string& svg) {
  constexpr std::string_view mark = "id=\"surface";
  const size_t at = svg.find(mark);
  if (at == std::string::npos) return;
  const size_t begin = at + mark.size();
  svg.erase(begin, svg.find('"', begin) - begin);
}

std::string svg_of(const PictureScene& scene, const std::vector<std::string>& colors) {
  std::string bytes;
  {
    const Owned<cairo_surface_t> surface(
        cairo_svg_surface_create_for_stream(append, &bytes, scene.width, scene.height));
    require(cairo_surface_status(surface.get()));
    cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
    draw(scene, colors, surface.get());
    cairo_surface_finish(surface.get());
    require(cairo_surface_status(surface.get()));
  }
  forget_number(bytes);
  bytes.insert(bytes.find('\n') + 1, std::string(own_comment) + '\n');  // after `<?xml …?>`
  return bytes;
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
      table::cut_names(words.names, width > 0 ? std::min(width, longest_name) : longest_name);
  for (size_t i = 0; i < words.names.size(); ++i) {
    words.names[i] = trees::with_count(words.names[i], view.entries()[i].siblings);
  }

  const Owned<cairo_surface_t> sheet(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1));
  Pen pen(sheet.get());
  const TextWidth width_of = [&](std::string_view text, double size, bool bold) {
    return pen.width(text, size, bold);
  };
  std::vector<Picture> pictures;
  for (const TreeBars& bars : tree_bars(view, metric)) {
    words.title = fmt::format("{}: {}", tree_subject(view.modules().trace), bars.heading);
    const PictureScene scene = lay_out_picture(bars, metric, words, width_of);
    pictures.push_back({bars.file_stem, png_of(scene, words.colors), svg_of(scene, words.colors)});
  }
  return pictures;
}

}  // namespace kr::picture
