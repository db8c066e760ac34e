#include "picture/trend_picture.hpp"

#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.hpp"
#include "picture/cairo.hpp"
#include "text/numbers.hpp"

namespace kr::picture {
namespace {

using TrendAlign = DrawnText::Align;

constexpr const char* trend_faint = "#5c6672";
constexpr const char* trend_grid = "#e3e6ea";
constexpr const char* trend_axis = "#9aa3ad";

constexpr double trend_edge = 24;  // around all
constexpr double trend_plot_width = 760, trend_plot_height = 380;
constexpr double trend_legend_gap = 26, trend_legend_line = 19, trend_longest_name = 280;
constexpr double trend_label_size = 10.5, trend_name_size = 11.5;
constexpr double trend_longest_run = 190;
constexpr double trend_between_labels = 17;  // of runs, which are turned
constexpr double trend_diagonal = 0.70710678;

std::string one_line(const std::string& text) {
  std::string shown = printable(text);
  std::replace(shown.begin(), shown.end(), '\t', ' ');
  return shown;
}

class TrendLayout {
 public:
  TrendLayout(const TrendPictureInput& trend, const TextWidth& width_of)
      : trend_(trend), width_of_(width_of) {}

  TrendScene make() {
    choose_unit();
    measure();
    place_title();
    place_times();
    place_runs();
    for (size_t i = 0; i < trend_.lines.size(); ++i) place_line(i);
    return std::move(scene_);
  }

 private:
  void choose_unit() {
    for (const TrendPictureLine& line : trend_.lines) {
      for (const auto& ns : line.ns) {
        if (ns && std::isfinite(*ns)) most_ = std::max(most_, *ns);
      }
    }
    if (most_ >= 1e9) {
      unit_ = 1e9, unit_name_ = "s";
    } else if (most_ >= 1e6) {
      unit_ = 1e6, unit_name_ = "ms";
    } else if (most_ >= 1e3) {
      unit_ = 1e3, unit_name_ = "µs";
    }
    end_ = most_ / unit_;
    step_ = end_ > 0 ? nice_step(end_ / 6) : 1;
    end_ = end_ > 0 ? step_ * std::ceil(end_ / step_ - 1e-9) : 1;
    decimals_ = std::clamp(-static_cast<int>(std::floor(std::log10(step_) + 1e-9)), 0, 9);
  }

  double text_width(const std::string& text, double size) const {
    return width_of_(text, size, false);
  }

  void measure() {
    pitch_ = trend_plot_width / std::max<double>(1, static_cast<double>(trend_.runs.size()));
    stride_ = pitch_ >= trend_between_labels
                  ? 1
                  : nice_stride(static_cast<size_t>(std::ceil(trend_between_labels / pitch_)));
    double widest = 0;
    for (const std::string& run : trend_.runs) {
      run_names_.push_back(
          fitted_text(one_line(run), trend_longest_run, trend_label_size, false, width_of_));
      widest = std::max(widest, text_width(run_names_.back(), trend_label_size));
    }
    below_ = 16 + (widest + trend_label_size) * trend_diagonal;
    const double numbers = text_width(text::grouped(end_, decimals_), trend_label_size);
    left_ = trend_edge +
            std::max(trend_label_size + 14 + numbers + 10, widest * trend_diagonal - pitch_ / 2);
    double name_width = 0, note_width = 0;
    for (const TrendPictureLine& line : trend_.lines) {
      legend_.push_back(fitted_text(one_line(line.name), trend_longest_name, trend_name_size,
                                    line.bold, width_of_));
      name_width = std::max(name_width, width_of_(legend_.back(), trend_name_size, line.bold));
      note_width = std::max(note_width, text_width(one_line(line.note), trend_name_size));
    }
    note_at_ = 18 + name_width + 14;
    scene_.width =
        std::ceil(left_ + trend_plot_width + trend_legend_gap + note_at_ + note_width + trend_edge);
  }

  DrawnText& put(std::string text, double x, double y, double size, TrendAlign align) {
    DrawnText& put = scene_.texts.emplace_back();
    put.text = std::move(text);
    put.x = x;
    put.y = y;
    put.size = size;
    put.align = align;
    return put;
  }

  void place_title() {
    const double room = scene_.width - 2 * trend_edge;
    double y = trend_edge;
    for (std::string& line :
         wrapped_text({one_line(trend_.title)}, " ", room, 16, true, width_of_)) {
      y += 14;
      put(std::move(line), trend_edge, y, 16, TrendAlign::left).bold = true;
      y += 8;
    }
    std::vector<std::string> facts;
    for (const std::string& fact : trend_.facts) facts.push_back(one_line(fact));
    for (std::string& line : wrapped_text(facts, "  ·  ", room, 12, false, width_of_)) {
      y += 13;
      put(std::move(line), trend_edge, y, 12, TrendAlign::left).color = trend_faint;
      y += 5;
    }
    scene_.plot = {std::ceil(left_), std::ceil(y + 26), trend_plot_width, trend_plot_height};
    const double legend = static_cast<double>(legend_.size()) * trend_legend_line + 8;
    scene_.height =
        std::ceil(scene_.plot.y + std::max(trend_plot_height + below_, legend) + trend_edge * 0.5);
  }

  double bottom() const { return scene_.plot.y + scene_.plot.height; }
  double right() const { return scene_.plot.x + scene_.plot.width; }
  double x_of(size_t run) const {
    return scene_.plot.x + pitch_ * (static_cast<double>(run) + 0.5);
  }
  /// Of a time in ns.
  double y_of(double ns) const {
    return bottom() - scene_.plot.height * std::max(0.0, ns / unit_) / end_;
  }

  void place_times() {
    const auto ticks = static_cast<int>(std::lround(end_ / step_));
    for (int i = 0; i <= ticks; ++i) {
      const double y = std::round((bottom() - scene_.plot.height * i / ticks) * 2) / 2;
      scene_.lines.push_back({scene_.plot.x, y, right(), y, i == 0 ? trend_axis : trend_grid});
      put(text::grouped(i * step_, decimals_), scene_.plot.x - 8, y + 3.8, trend_label_size,
          TrendAlign::right)
          .color = trend_faint;
    }
    DrawnText& title =
        put(fmt::format("{} ({})", one_line(trend_.axis), unit_name_), trend_edge + 8,
            bottom() - scene_.plot.height / 2, trend_name_size, TrendAlign::middle);
    title.turn = -90;
    title.color = trend_faint;
  }

  void place_runs() {
    for (size_t i = 0; i < run_names_.size(); ++i) {
      // The last one is what the picture is about.
      const bool last = i + 1 == run_names_.size();
      if (i % stride_ != 0 && !last) continue;
      if (!last && stride_ > 1 && i + stride_ >= run_names_.size()) continue;
      scene_.lines.push_back({x_of(i), bottom(), x_of(i), bottom() + 4, trend_axis});
      DrawnText& name =
          put(run_names_[i], x_of(i) + 3, bottom() + 13, trend_label_size, TrendAlign::right);
      name.turn = -45;
    }
    if (trend_.first_new == 0 || trend_.first_new >= run_names_.size()) return;
    const double x = std::round(x_of(trend_.first_new) - pitch_ / 2);
    scene_.lines.push_back({x, scene_.plot.y - 12, x, bottom(), trend_axis});
    put("saved runs", x - 6, scene_.plot.y - 5, trend_label_size, TrendAlign::right).color =
        trend_faint;
    put("new", x + 6, scene_.plot.y - 5, trend_label_size, TrendAlign::left).color = trend_faint;
  }

  void place_line(size_t at) {
    const TrendPictureLine& line = trend_.lines[at];
    TrendStroke stroke{{}, line.color, line.bold ? 2.5 : 1.6};
    bool gap = true;
    for (size_t i = 0; i < std::min(line.ns.size(), trend_.runs.size()); ++i) {
      const auto& ns = line.ns[i];
      if (!ns || !std::isfinite(*ns)) {
        gap = true;
        continue;
      }
      stroke.points.push_back({x_of(i), y_of(*ns), !gap});
      gap = false;
    }
    scene_.strokes.push_back(std::move(stroke));
    const double x = std::round(right() + trend_legend_gap);
    const double y = scene_.plot.y + 4 + static_cast<double>(at) * trend_legend_line;
    scene_.swatches.push_back({x, y, 11, 11});
    put(legend_[at], x + 18, y + 9.5, trend_name_size, TrendAlign::left).bold = line.bold;
    if (line.note.empty()) return;
    put(one_line(line.note), x + note_at_, y + 9.5, trend_name_size, TrendAlign::left).color =
        trend_faint;
  }

  const TrendPictureInput& trend_;
  const TextWidth& width_of_;
  TrendScene scene_;
  double most_ = 0, unit_ = 1;
  const char* unit_name_ = "ns";
  double end_ = 1, step_ = 1;  // of the axis, in the unit
  int decimals_ = 0;
  double pitch_ = 1, left_ = 0, below_ = 0, note_at_ = 0;
  size_t stride_ = 1;
  std::vector<std::string> run_names_, legend_;
};

void draw_trend(const TrendScene& scene, cairo_surface_t* surface) {
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
  cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
  // The first line is over the others.
  for (size_t i = scene.strokes.size(); i-- > 0;) {
    const TrendStroke& stroke = scene.strokes[i];
    pen.color(stroke.color);
    cairo_set_line_width(context, stroke.width);
    for (const TrendStroke::Point& point : stroke.points) {
      if (point.joined) {
        cairo_line_to(context, point.x, point.y);
      } else {
        cairo_move_to(context, point.x, point.y);
      }
    }
    cairo_stroke(context);
    for (const TrendStroke::Point& point : stroke.points) {
      cairo_new_sub_path(context);
      cairo_arc(context, point.x, point.y, stroke.width + 1, 0, 2 * 3.14159265358979323846);
      cairo_fill(context);
    }
    const Rectangle& swatch = scene.swatches[i];
    cairo_rectangle(context, swatch.x, swatch.y, swatch.width, swatch.height);
    cairo_fill(context);
  }
  for (const DrawnText& text : scene.texts) pen.draw(text);
  require(cairo_status(context));
}

}  // namespace

TrendScene lay_out_trend(const TrendPictureInput& trend, const TextWidth& width_of) {
  return TrendLayout(trend, width_of).make();
}

TrendPicture trend_picture(const TrendPictureInput& trend) {
  const TrendScene scene = lay_out_trend(trend, TextMeasure());
  const auto draw = [&](cairo_surface_t* surface) { draw_trend(scene, surface); };
  return {draw_png(scene.width, scene.height, draw), draw_svg(scene.width, scene.height, draw)};
}

}  // namespace kr::picture
