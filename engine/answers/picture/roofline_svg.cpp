#include <fmt/format.h>

#include <array>

#include "base/own_output.hpp"
#include "base/printable.hpp"
#include "diag/xml.hpp"
#include "picture/cairo.hpp"
#include "picture/roofline_input.hpp"
#include "picture/roofline_scene.hpp"
#include "picture/roofline_theme.hpp"

namespace kr::picture {
namespace {

constexpr std::array<const char*, inks> ink_classes{"page",   "text", "faint", "grid",
                                                    "decade", "axis", "roof"};

std::string theme_rules(const Theme& theme) {
  std::string rules = ":root{";
  for (size_t i = 0; i < inks; ++i) rules += fmt::format("--{}:{};", ink_classes[i], theme[i]);
  return rules + "}";
}

std::string style_sheet() {
  std::string sheet = theme_rules(light_theme);
  sheet += fmt::format("@media (prefers-color-scheme:dark){{{}}}", theme_rules(dark_theme));
  sheet += fmt::format("@media print{{{}}}", theme_rules(light_theme));
  // As measured: DejaVu Sans is wider than what most systems have.
  sheet += "text{font-family:\"DejaVu Sans\",Verdana,\"Segoe UI\",Arial,sans-serif}";
  for (size_t i = 0; i < inks; ++i) {
    sheet += fmt::format(".f-{0}{{fill:var(--{0})}}.s-{0}{{stroke:var(--{0})}}", ink_classes[i]);
  }
  return sheet + ".point:hover,.point:focus{stroke-width:2.5}";
}

/// One decimal is a tenth of a pixel.
std::string number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

/// How a mark of a file looks.
std::string look_of(const RooflineMark& mark, bool is_point) {
  std::string look = "class=\"s-text f-page\" stroke-width=\"1.2\"";
  if (!mark.color.empty()) {
    look = fmt::format("class=\"s-text{}\" fill=\"{}\" fill-opacity=\"{}\" stroke-width=\"{}\"",
                       is_point ? " point" : "", diag::xml_text(mark.color), number(point_opacity),
                       number(point_edge));
  }
  if (mark.dashed) look += " stroke-dasharray=\"3 2\"";
  if (is_point) look += " tabindex=\"0\"";
  return look;
}

/// What a page has to know of a point: its colour is the page's.
std::string data_of(const RooflineMark& point) {
  std::string data = fmt::format("class=\"point{}\" data-point=\"{}\"",
                                 point.dashed ? " computed" : "", point.point);
  if (point.roof_y > 0) data += fmt::format(" data-roof=\"{}\"", number(point.roof_y));
  return data;
}

class SvgWriter {
 public:
  std::string sheet(const RooflineScene& scene) {
    add("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", own_comment);
    const std::string width = number(scene.width), height = number(scene.height);
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" role=\"img\" aria-labelledby=\"title summary\">\n",
        width, height);
    add("<title id=\"title\">{}</title>\n<desc id=\"summary\">{}</desc>\n",
        diag::xml_text(scene.title), diag::xml_text(scene.summary));
    add("<style>{}</style>\n", style_sheet());
    add("<rect class=\"f-page\" width=\"{}\" height=\"{}\"/>\n", width, height);
    write_lines(scene.lines);
    for (const RooflineMark& mark : scene.points)
      write_mark(mark, look_of(mark, true), mark.tooltip);
    write_over_points(scene);
    return std::move(out_);
  }

  std::string chart(const RooflineScene& scene) {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\">\n", number(scene.width),
        number(scene.height));
    write_lines(scene.lines);
    for (const RooflineMark& mark : scene.points) write_mark(mark, data_of(mark), {});
    write_over_points(scene);
    return std::move(out_);
  }

 private:
  void write_over_points(const RooflineScene& scene) {
    write_lines(scene.leaders);
    for (const RooflineMark& mark : scene.marks) {
      write_mark(mark, look_of(mark, false), mark.tooltip);
    }
    for (const RooflineText& text : scene.texts) write_text(text);
    out_ += "</svg>\n";
  }

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::format(format, std::forward<Args>(args)...);
  }

  static const char* class_of(Ink ink) { return ink_classes[static_cast<size_t>(ink)]; }

  /// Those that look the same and follow each other are one path.
  void write_lines(const std::vector<RooflineLine>& lines) {
    for (size_t i = 0; i < lines.size();) {
      const RooflineLine& first = lines[i];
      add("<path class=\"s-{}\" d=\"", class_of(first.ink));
      for (; i < lines.size(); ++i) {
        const RooflineLine& line = lines[i];
        if (line.ink != first.ink || line.width != first.width || line.dashed != first.dashed)
          break;
        add("M{} {}L{} {}", number(line.x1), number(line.y1), number(line.x2), number(line.y2));
      }
      add("\" stroke-width=\"{}\" fill=\"none\"{}/>\n", number(first.width),
          first.dashed ? " stroke-dasharray=\"7 5\"" : "");
    }
  }

  void write_mark(const RooflineMark& mark, const std::string& look, const std::string& title) {
    const std::vector<double> corners = corners_of(mark);
    if (corners.empty()) {
      add("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}", number(mark.x), number(mark.y),
          number(mark.radius), look);
    } else {
      out_ += "<path d=\"M";
      for (size_t i = 0; i < corners.size(); ++i) {
        add("{}{}", i == 0 ? "" : i % 2 == 0 ? "L" : " ", number(corners[i]));
      }
      add("Z\" {}", look);
    }
    if (!title.empty()) {
      add("><title>{}</title></{}>\n", diag::xml_lines(title), corners.empty() ? "circle" : "path");
    } else {
      out_ += "/>\n";
    }
  }

  void write_text(const RooflineText& one) {
    constexpr std::array<const char*, 3> anchors{"", " text-anchor=\"middle\"",
                                                 " text-anchor=\"end\""};
    const DrawnText& text = one.text;
    // A rim in the colour of the page separates letters from lines behind them.
    add("<text class=\"f-{}{}\" x=\"{}\" y=\"{}\" font-size=\"{}\"{}{}{}", class_of(one.ink),
        one.on_page ? " s-page" : "", number(text.x), number(text.y), number(text.size),
        anchors[static_cast<size_t>(text.align)], text.bold ? " font-weight=\"bold\"" : "",
        one.on_page ? " stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"" : "");
    if (text.turn != 0) {
      add(" transform=\"rotate({} {} {})\"", fmt::format("{:.2f}", text.turn), number(text.x),
          number(text.y));
    }
    add(">{}</text>\n", diag::xml_text(text.text));
  }

  std::string out_;
};

}  // namespace

std::string svg_of_roofline(const RooflineScene& scene) {
  return SvgWriter().sheet(scene);
}

std::string svg_of_roofline_chart(const RooflineScene& scene) {
  return SvgWriter().chart(scene);
}

std::string roofline_svg(const Roofline& roofline) {
  return svg_of_roofline(lay_out_roofline(roofline, TextMeasure()));
}

RooflineParts roofline_parts(const Roofline& roofline) {
  // A page takes the nearest, so that letters are scaled by 0.74 to 1.35.
  constexpr std::array<double, 3> widths{340, 600, 1100};
  const TextMeasure width_of;
  RooflineParts parts;
  for (const double width : widths) {
    parts.charts.push_back(
        svg_of_roofline_chart(lay_out_roofline_chart(roofline, width, width_of)));
  }
  for (const std::string& note :
       roofline_notes(roofline, point_names(roofline.points, longest_point_name))) {
    parts.notes.push_back(printable(note));
  }
  return parts;
}

}  // namespace kr::picture
