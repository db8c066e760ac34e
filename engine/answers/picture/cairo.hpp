// Cairo, as pictures use it: texts that are measured the same at every scale, and PNG files with
// the mark of kr.
#pragma once

#include <cairo.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "picture/scene.hpp"

namespace kr::picture {

struct CairoFree {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
template <class Thing>
using Owned = std::unique_ptr<Thing, CairoFree>;

/// Throws Error unless it is a success.
void require(cairo_status_t status);

/// Letters in one typeface, measured the same at every scale.
class Pen {
 public:
  explicit Pen(cairo_surface_t* surface);

  cairo_t* context() const { return context_.get(); }
  double width(std::string_view text, double size, bool bold);
  void draw(const DrawnText& text);
  /// The white sheet of a scene, and its lines. Its texts come last.
  void draw_lines(const Scene& scene);
  /// `#rrggbb`.
  void color(std::string_view rgb);

 private:
  void choose(double size, bool bold);
  std::string drawable(std::string_view text);
  bool has_glyph(std::string_view character);

  Owned<cairo_t> context_;
  double size_ = 0;
  bool bold_ = false;
};

/// How wide texts are, without a picture.
class TextMeasure {
 public:
  TextMeasure();
  double operator()(std::string_view text, double size, bool bold) const;

 private:
  std::shared_ptr<cairo_surface_t> sheet_;
  std::shared_ptr<Pen> pen_;
};

/// For Cairo's streams: `out` is a std::string.
cairo_status_t append_bytes(void* out, const unsigned char* bytes, unsigned count);

/// A PNG of `width` × `height` units, with two pixels per unit.
std::string draw_png(double width, double height,
                     const std::function<void(cairo_surface_t*)>& draw);
/// An SVG of that size, with letters as outlines. The same drawing gives the same bytes.
std::string draw_svg(double width, double height,
                     const std::function<void(cairo_surface_t*)>& draw);

}  // namespace kr::picture
