#include "picture/cairo.hpp"
#include "picture/roofline_scene.hpp"
#include "picture/roofline_theme.hpp"

namespace kr::picture {
namespace {

class RooflinePainter {
 public:
  RooflinePainter(cairo_surface_t* surface, const Theme& theme) : pen_(surface), theme_(theme) {}

  void draw(const RooflineScene& scene) {
    use(Ink::page);
    cairo_rectangle(context(), 0, 0, scene.width, scene.height);
    cairo_fill(context());
    for (const RooflineLine& line : scene.lines) draw_line(line);
    for (const RooflineMark& mark : scene.points) draw_mark(mark);
    for (const RooflineLine& line : scene.leaders) draw_line(line);
    for (const RooflineMark& mark : scene.marks) draw_mark(mark);
    for (const RooflineText& text : scene.texts) draw_text(text);
    require(cairo_status(context()));
  }

 private:
  cairo_t* context() const { return pen_.context(); }
  const char* color_of(Ink ink) const { return theme_[static_cast<size_t>(ink)]; }
  void use(Ink ink) { pen_.color(color_of(ink)); }

  void draw_line(const RooflineLine& line) {
    use(line.ink);
    cairo_set_line_width(context(), line.width);
    constexpr double dashes[] = {7, 5};
    cairo_set_dash(context(), dashes, line.dashed ? 2 : 0, 0);
    cairo_move_to(context(), line.x1, line.y1);
    cairo_line_to(context(), line.x2, line.y2);
    cairo_stroke(context());
    cairo_set_dash(context(), nullptr, 0, 0);
  }

  void draw_mark(const RooflineMark& mark) {
    const std::vector<double> corners = corners_of(mark);
    cairo_new_path(context());
    if (corners.empty()) {
      cairo_arc(context(), mark.x, mark.y, mark.radius, 0, 2 * 3.14159265358979323846);
    }
    for (size_t i = 0; i < corners.size(); i += 2) {
      cairo_line_to(context(), corners[i], corners[i + 1]);
    }
    cairo_close_path(context());
    cairo_path_t* outline = cairo_copy_path(context());
    if (mark.color.empty()) {
      use(Ink::page);
      cairo_fill(context());
    } else {
      cairo_push_group(context());
      pen_.color(mark.color);
      cairo_fill(context());
      cairo_pop_group_to_source(context());
      cairo_paint_with_alpha(context(), point_opacity);
    }
    cairo_new_path(context());
    cairo_append_path(context(), outline);
    cairo_path_destroy(outline);
    use(Ink::text);
    cairo_set_line_width(context(), mark.color.empty() ? 1.2 : point_edge);
    constexpr double dashes[] = {3, 2};
    cairo_set_dash(context(), dashes, mark.dashed ? 2 : 0, 0);
    cairo_stroke(context());
    cairo_set_dash(context(), nullptr, 0, 0);
  }

  void draw_text(const RooflineText& one) {
    DrawnText text = one.text;
    if (one.on_page) {
      // The same letters around it, in the colour of the page.
      text.color = color_of(Ink::page);
      for (const double dx : {-1.2, 0.0, 1.2}) {
        for (const double dy : {-1.2, 0.0, 1.2}) {
          DrawnText rim = text;
          rim.x += dx;
          rim.y += dy;
          pen_.draw(rim);
        }
      }
    }
    text.color = color_of(one.ink);
    pen_.draw(text);
  }

  Pen pen_;
  const Theme& theme_;
};

}  // namespace

std::string roofline_png(const Roofline& roofline) {
  const RooflineScene scene = lay_out_roofline(roofline, TextMeasure());
  const Theme& theme = roofline.dark ? dark_theme : light_theme;
  return draw_png(scene.width, scene.height,
                  [&](cairo_surface_t* surface) { RooflinePainter(surface, theme).draw(scene); });
}

}  // namespace kr::picture
