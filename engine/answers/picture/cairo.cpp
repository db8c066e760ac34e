#include "picture/cairo.hpp"

#include <cairo-svg.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/integer.hpp"
#include "base/own_output.hpp"
#include "base/sanitizer.hpp"
#include "base/utf8.hpp"

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

constexpr double pixels_a_unit = 2;  // of a PNG

uint32_t code_point(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  uint32_t code = first & (0xffU >> (character.size() + 1));
  for (const char c : character.substr(1))
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  return code;
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

/// Cairo numbers all surfaces of a process and writes the number to the file; two runs should not
/// differ.
void forget_number(std::string& svg) {
  constexpr std::string_view mark = "id=\"surface";
  const size_t at = svg.find(mark);
  if (at == std::string::npos) return;
  const size_t begin = at + mark.size();
  svg.erase(begin, svg.find('"', begin) - begin);
}

}  // namespace

void require(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw Error("", fmt::format("a picture cannot be drawn: {}", cairo_status_to_string(status)),
              "show fewer steps with --step-interval");
}

Pen::Pen(cairo_surface_t* surface) : context_(cairo_create(surface)) {
  const Owned<cairo_font_options_t> options(cairo_font_options_create());
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(context_.get(), options.get());
}

double Pen::width(std::string_view text, double size, bool bold) {
  choose(size, bold);
  cairo_text_extents_t extents;
  cairo_text_extents(context_.get(), drawable(text).c_str(), &extents);
  return extents.x_advance;
}

void Pen::draw_lines(const Scene& scene) {
  cairo_t* const sheet = context();
  cairo_set_source_rgb(sheet, 1, 1, 1);
  cairo_rectangle(sheet, 0, 0, scene.width, scene.height);
  cairo_fill(sheet);
  cairo_set_line_width(sheet, 1);
  for (const DrawnLine& line : scene.lines) {
    color(line.color);
    cairo_move_to(sheet, line.x1, line.y1);
    cairo_line_to(sheet, line.x2, line.y2);
    cairo_stroke(sheet);
  }
}

void Pen::draw(const DrawnText& text) {
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

void Pen::color(std::string_view rgb) {
  const auto channel = [&](size_t at) {
    return integer_from<unsigned>(rgb.substr(at, 2), 16).value_or(0) / 255.0;
  };
  cairo_set_source_rgb(context_.get(), channel(1), channel(3), channel(5));
}

void Pen::choose(double size, bool bold) {
  if (size == size_ && bold == bold_) return;
  size_ = size;
  bold_ = bold;
  cairo_select_font_face(context_.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context_.get(), size);
}

/// One typeface does not have all characters: those that it lacks are written as their number, so
/// that names stay distinct, which empty boxes are not.
std::string Pen::drawable(std::string_view text) {
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

bool Pen::has_glyph(std::string_view character) {
  cairo_glyph_t* glyphs = nullptr;
  int count = 0;
  const cairo_status_t status = cairo_scaled_font_text_to_glyphs(
      cairo_get_scaled_font(context_.get()), 0, 0, character.data(),
      static_cast<int>(character.size()), &glyphs, &count, nullptr, nullptr, nullptr);
  const bool has = status == CAIRO_STATUS_SUCCESS && count == 1 && glyphs[0].index != 0;
  cairo_glyph_free(glyphs);
  return has;
}

TextMeasure::TextMeasure()
    : sheet_(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1), cairo_surface_destroy),
      pen_(std::make_shared<Pen>(sheet_.get())) {}

double TextMeasure::operator()(std::string_view text, double size, bool bold) const {
  return pen_->width(text, size, bold);
}

cairo_status_t append_bytes(void* out, const unsigned char* bytes, unsigned count) {
  static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

std::string draw_png(double width, double height,
                     const std::function<void(cairo_surface_t*)>& draw) {
  const Owned<cairo_surface_t> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width * pixels_a_unit),
                                 static_cast<int>(height * pixels_a_unit)));
  require(cairo_surface_status(surface.get()));
  cairo_surface_set_device_scale(surface.get(), pixels_a_unit, pixels_a_unit);
  draw(surface.get());
  std::string bytes;
  require(cairo_surface_write_to_png_stream(surface.get(), append_bytes, &bytes));
  mark_png(bytes);
  return bytes;
}

std::string draw_svg(double width, double height,
                     const std::function<void(cairo_surface_t*)>& draw) {
  std::string bytes;
  {
    const Owned<cairo_surface_t> surface(
        cairo_svg_surface_create_for_stream(append_bytes, &bytes, width, height));
    require(cairo_surface_status(surface.get()));
    cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
    draw(surface.get());
    cairo_surface_finish(surface.get());
    require(cairo_surface_status(surface.get()));
  }
  forget_number(bytes);
  bytes.insert(bytes.find('\n') + 1, std::string(own_comment) + '\n');  // after `<?xml …?>`
  return bytes;
}

}  // namespace kr::picture
