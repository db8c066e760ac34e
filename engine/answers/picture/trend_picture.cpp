#include "picture/trend_picture.hpp"

#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "picture/cairo.hpp"
#include "text/numbers.hpp"

namespace kr::picture {
namespace {

using TrendAlign = DrawnText::Align;
using namespace look;

constexpr double trend_plot_width = 760, trend_plot_height = 380;
constexpr double trend_legend_gap = 26, trend_longest_name = 280;

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
    stride_ = pitch_ >= turned_line
                  ? 1
                  : nice_stride(static_cast<size_t>(std::ceil(turned_line / pitch_)));
    double widest = 0;
    for (const std::string& run : trend_.runs) {
      run_names_.push_back(fitted_text(one_line(run), longest_label, label_size, false, width_of_));
      widest = std::max(widest, text_width(run_names_.back(), label_size));
    }
    below_ = 16 + (widest + label_size) * diagonal;
    const double numbers = text_width(text::grouped(end_, decimals_), label_size);
    left_ = edge + std::max(label_size + 14 + numbers + 10, widest * diagonal - pitch_ / 2);
    double name_width = 0, note_width = 0;
    for (const TrendPictureLine& line : trend_.lines) {
      legend_.push_back(
          fitted_text(one_line(line.name), trend_longest_name, name_size, line.bold, width_of_));
      name_width = std::max(name_width, width_of_(legend_.back(), name_size, line.bold));
      note_width = std::max(note_width, text_width(one_line(line.note), name_size));
    }
    note_at_ = 18 + name_width + 14;
    scene_.width =
        std::ceil(left_ + trend_plot_width + trend_legend_gap + note_at_ + note_width + edge);
  }

  void place_title() {
    const double below = scene_.put_title(trend_.title, trend_.facts, width_of_);
    scene_.plot = {std::ceil(left_), std::ceil(below + 26), trend_plot_width, trend_plot_height};
    const double legend = static_cast<double>(legend_.size()) * legend_line + 8;
    scene_.height =
        std::ceil(scene_.plot.y + std::max(trend_plot_height + below_, legend) + edge * 0.5);
  }

  double x_of(size_t run) const {
    return scene_.plot.x + pitch_ * (static_cast<double>(run) + 0.5);
  }
  /// Of a time in ns.
  double y_of(double ns) const {
    return scene_.bottom() - scene_.plot.height * std::max(0.0, ns / unit_) / end_;
  }

  void place_times() {
    const auto ticks = static_cast<int>(std::lround(end_ / step_));
    for (int i = 0; i <= ticks; ++i) {
      const double y = std::round((scene_.bottom() - scene_.plot.height * i / ticks) * 2) / 2;
      scene_.put_tick(y, text::grouped(i * step_, decimals_), i == 0);
    }
    scene_.put_axis_title(fmt::format("{} ({})", one_line(trend_.axis), unit_name_));
  }

  void place_runs() {
    for (size_t i = 0; i < run_names_.size(); ++i) {
      // The last one is what the picture is about.
      const bool last = i + 1 == run_names_.size();
      if (i % stride_ != 0 && !last) continue;
      if (!last && stride_ > 1 && i + stride_ >= run_names_.size()) continue;
      scene_.put_turned_label(run_names_[i], x_of(i));
    }
    if (trend_.first_new == 0 || trend_.first_new >= run_names_.size()) return;
    const double x = std::round(x_of(trend_.first_new) - pitch_ / 2);
    const double above = scene_.plot.y - 5;
    scene_.lines.push_back({x, scene_.plot.y - 12, x, scene_.bottom(), axis_color});
    scene_.put("saved runs", x - 6, above, label_size, TrendAlign::right).color = faint;
    scene_.put("new", x + 6, above, label_size, TrendAlign::left).color = faint;
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
    const double x = std::round(scene_.right() + trend_legend_gap);
    const double y = scene_.plot.y + 4 + static_cast<double>(at) * legend_line;
    scene_.swatches.push_back({x, y, 11, 11});
    scene_.put(legend_[at], x + 18, y + 9.5, name_size, TrendAlign::left).bold = line.bold;
    if (line.note.empty()) return;
    scene_.put(one_line(line.note), x + note_at_, y + 9.5, name_size, TrendAlign::left).color =
        faint;
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
  pen.draw_lines(scene);
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
