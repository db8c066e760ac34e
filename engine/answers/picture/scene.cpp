#include "picture/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.hpp"
#include "picture/color.hpp"
#include "picture/label_styles.hpp"
#include "picture/text.hpp"
#include "text/numbers.hpp"

namespace kr::picture {
namespace {

using TextAlign = DrawnText::Align;
using namespace look;

constexpr double wanted_plot_width = 1600;
constexpr double min_plot_width = 400;
constexpr double min_plot_height = 420, max_plot_height = 640;
constexpr double widest_pitch = 84;
constexpr double legend_gap = 30, widest_name = 400;
constexpr size_t max_legend_lines = 48;
constexpr double value_size = 9.5, total_size = 10;
constexpr double sparse_line = 40;  // between turned labels where not all fit

double half_pixel(double length) {
  return std::floor(length * 2) / 2;
}

class Layout {
 public:
  Layout(const TreeBars& bars, trees::Metric metric, const PictureWords& words,
         const TextWidth& width_of)
      : bars_(bars), metric_(metric), words_(words), width_of_(width_of) {}

  PictureScene make() {
    measure();
    choose_legend();
    const double top = place_title();
    place_plot(top);
    place_axis();
    for (size_t i = 0; i < bars_.bars.size(); ++i) place_bar(i);
    place_labels();
    place_legend();
    return std::move(scene_);
  }

 private:
  // Numbers as text

  std::string value_text(int64_t value, int64_t whole) const {
    switch (metric_) {
      case trees::Metric::cuda_time_ms:
        return text::in_unit(value, text::milliseconds);
      case trees::Metric::pct_cuda_time:
        return text::share(value, whole);
      case trees::Metric::invocations:
        break;
    }
    return text::grouped(value);
  }

  /// On top of a bar. The sum of all shares is 100 %: the time of the step is more useful.
  std::string total_text(const TreeBar& bar) const {
    return metric_ == trees::Metric::pct_cuda_time ? text::human_time(bar.total)
                                                   : value_text(bar.total, bar.whole);
  }

  std::string fitted(const std::string& text, double room, double size) const {
    return fitted_text(text, room, size, false, width_of_);
  }

  // Sizes

  void measure() {
    const size_t count = bars_.bars.size();
    pitch_ =
        std::clamp(half_pixel(wanted_plot_width / static_cast<double>(count)), 1.0, widest_pitch);
    bar_width_ = pitch_ >= 4 ? half_pixel(pitch_ * 0.78) : pitch_ >= 2 ? pitch_ - 0.5 : pitch_;
    plot_width_ = std::max(pitch_ * (static_cast<double>(count) + 0.4), min_plot_width);
    scene_.gaps = bar_width_ >= 14;
    double widest_total = 0;
    for (const TreeBar& bar : bars_.bars) {
      most_ = std::max(most_, bar.total);
      if (pitch_ < total_size) continue;
      widest_total = std::max(widest_total, width_of_(total_text(bar), total_size, true));
    }
    totals_level_ = widest_total <= pitch_ - 4;
    totals_shown_ = pitch_ >= total_size + 2;
    headroom_ = !totals_shown_ ? 6 : totals_level_ ? 20 : widest_total + 12;
    measure_labels();
    measure_axis();
  }

  /// A label in two lines: the step's key, and its sequences.
  static std::pair<std::string, std::string> halves(const std::string& label) {
    const size_t at = label.rfind(" (");
    if (at == std::string::npos) return {label, ""};
    return {label.substr(0, at), label.substr(at + 1)};
  }

  void measure_labels() {
    const double room = pitch_ - 6;
    labels_level_ =
        pitch_ >= 30 && std::all_of(bars_.bars.begin(), bars_.bars.end(), [&](const TreeBar& bar) {
          const auto [key, sequences] = halves(one_line(bar.label));
          return width_of_(key, label_size, false) <= room &&
                 width_of_(sequences, label_size, false) <= room;
        });
    if (labels_level_) {
      below_ = 40;
      return;
    }
    stride_ = pitch_ >= turned_line
                  ? 1
                  : nice_stride(static_cast<size_t>(std::ceil(sparse_line / pitch_)));
    double widest = 0;
    for (size_t i = 0; i < bars_.bars.size(); i += stride_) {
      widest = std::max(widest, std::min(longest_label, width_of_(one_line(bars_.bars[i].label),
                                                                  label_size, false)));
    }
    below_ = 14 + (widest + label_size) * diagonal;
    left_of_labels_ = widest * diagonal - pitch_ / 2;
  }

  /// The largest number on the axis, in its own unit.
  double axis_end() const {
    switch (metric_) {
      case trees::Metric::cuda_time_ms:
        return static_cast<double>(most_) / 1e6;
      case trees::Metric::pct_cuda_time:
        return most_ > 0 ? 100 : 0;
      case trees::Metric::invocations:
        break;
    }
    return static_cast<double>(most_);
  }

  void measure_axis() {
    const double end = axis_end();
    step_ = end > 0 ? nice_step(end / 8) : 1;
    if (metric_ == trees::Metric::invocations) step_ = std::max(step_, 1.0);
    decimals_ = std::clamp(-static_cast<int>(std::floor(std::log10(step_) + 1e-9)), 0, 6);
    const double numbers = width_of_(text::grouped(end, decimals_), label_size, false);
    left_ = edge + std::max(label_size + 14 + numbers + 10, left_of_labels_);
  }

  // The legend

  void choose_legend() {
    std::vector<int64_t> sums(words_.names.size(), 0);
    int64_t all = 0;
    for (const TreeBar& bar : bars_.bars) {
      for (const BarPart& part : bar.parts) {
        sums[part.entry] = trees::bounded_sum(sums[part.entry], part.value);
        all = trees::bounded_sum(all, part.value);
      }
    }
    std::vector<uint32_t> occurring;
    for (uint32_t entry = 0; entry < sums.size(); ++entry) {
      if (sums[entry] > 0) occurring.push_back(entry);
    }
    const size_t shown =
        occurring.size() > max_legend_lines ? max_legend_lines - 1 : occurring.size();
    const size_t hidden = occurring.size() - shown;
    occurring.resize(shown);
    if (hidden > 0)
      lines_.push_back(
          {no_entry, fmt::format("and {} more", text::grouped(static_cast<int64_t>(hidden))), ""});
    std::reverse(occurring.begin(), occurring.end());
    for (const uint32_t entry : occurring) {
      const std::string name =
          words_.names[entry].empty() ? "(no name)" : one_line(words_.names[entry]);
      lines_.push_back(
          {entry, fitted(name, widest_name, name_size), text::share(sums[entry], all) + " %"});
    }
    for (const Line& line : lines_) {
      name_width_ = std::max(name_width_, width_of_(line.name, name_size, false));
      share_width_ = std::max(share_width_, width_of_(line.share, name_size, false));
    }
    legend_width_ = lines_.empty() ? 0 : 18 + name_width_ + 16 + share_width_;
    scene_.width = std::ceil(left_ + plot_width_ + legend_gap + legend_width_ + edge);
  }

  void place_legend() {
    const double x = std::round(scene_.plot.x + scene_.plot.width + legend_gap);
    double y = scene_.plot.y + 4;
    for (const Line& line : lines_) {
      if (line.entry != no_entry) scene_.legend.push_back({line.entry, {x, y, 11, 11}});
      const char* color = line.entry == no_entry ? faint : "#1a1f26";
      put(line.name, x + 18, y + 9.5, name_size, TextAlign::left).color = color;
      if (!line.share.empty()) {
        put(line.share, x + legend_width_, y + 9.5, name_size, TextAlign::right).color = faint;
      }
      y += legend_line;
    }
  }

  // Words and axes

  DrawnText& put(std::string text, double x, double y, double size, TextAlign align) {
    return scene_.put(std::move(text), x, y, size, align);
  }

  /// Where it ends.
  double place_title() {
    std::vector<std::string> facts = words_.facts;
    if (bars_.bars.size() < bars_.steps) {
      facts.push_back(fmt::format("{} of {} steps",
                                  text::grouped(static_cast<int64_t>(bars_.bars.size())),
                                  text::grouped(static_cast<int64_t>(bars_.steps))));
    }
    return scene_.put_title(words_.title, facts, width_of_) + 14;
  }

  void place_plot(double top) {
    const double legend = static_cast<double>(lines_.size()) * legend_line + 8;
    const double height = std::round(std::clamp(legend, min_plot_height, max_plot_height));
    scene_.plot = {std::ceil(left_), std::ceil(top), std::ceil(plot_width_), height};
    scene_.height = std::ceil(scene_.plot.y + std::max(height + below_, legend) + edge * 0.5);
  }

  double bottom() const { return scene_.bottom(); }
  double reach() const { return scene_.plot.height - headroom_; }

  /// The left edge of a bar: bars that do not fill the plot are in its middle.
  double left_of(size_t bar) const {
    const double all = pitch_ * static_cast<double>(bars_.bars.size());
    const double first = scene_.plot.x + half_pixel((scene_.plot.width - all) / 2);
    return first + pitch_ * static_cast<double>(bar) + half_pixel((pitch_ - bar_width_) / 2);
  }
  double middle_of(size_t bar) const { return left_of(bar) + bar_width_ / 2; }

  void place_axis() {
    const double end = axis_end();
    for (int i = 0; i == 0 || i * step_ <= end * (1 + 1e-9); ++i) {
      const double share = end > 0 ? i * step_ / end : 0;
      const double y = bottom() - std::round(reach() * share * 2) / 2;
      scene_.put_tick(y, text::grouped(i * step_, decimals_), i == 0);
    }
    const char* name = metric_ == trees::Metric::cuda_time_ms    ? "CUDA time (ms)"
                       : metric_ == trees::Metric::pct_cuda_time ? "CUDA time (% of the step)"
                                                                 : "invocations";
    scene_.put_axis_title(name);
  }

  // Bars

  /// The edge above so much of a bar, on a half pixel.
  double edge_above(int64_t sum, const TreeBar& bar) const {
    const int64_t of = metric_ == trees::Metric::pct_cuda_time ? bar.whole : most_;
    const double share = static_cast<double>(sum) / static_cast<double>(of);
    return bottom() - std::round(reach() * share * 2) / 2;
  }

  void place_bar(size_t at) {
    const TreeBar& bar = bars_.bars[at];
    const double x = left_of(at);
    double below = bottom();
    int64_t sum = 0;
    for (const BarPart& part : bar.parts) {
      sum = trees::bounded_sum(sum, part.value);
      const double top = edge_above(sum, bar);
      const Rectangle place{x, top, bar_width_, below - top};
      below = top;
      scene_.parts.push_back({at, part.entry, part.value, place});
      if (place.height < value_size + 3 || bar_width_ < 2 * value_size) continue;
      std::string text = value_text(part.value, bar.whole);
      if (width_of_(text, value_size, false) > bar_width_ - 4) continue;
      DrawnText& value =
          put(std::move(text), middle_of(at), place.y + place.height / 2 + value_size * 0.36,
              value_size, TextAlign::middle);
      value.color = is_light(words_.colors[part.entry]) ? "#000000" : "#ffffff";
    }
    if (!totals_shown_) return;
    if (totals_level_) {
      put(total_text(bar), middle_of(at), below - 6, total_size, TextAlign::middle).bold = true;
    } else {
      DrawnText& total = put(total_text(bar), middle_of(at) + total_size * 0.36, below - 6,
                             total_size, TextAlign::left);
      total.bold = true;
      total.turn = -90;
    }
  }

  void place_labels() {
    for (size_t i = 0; i < bars_.bars.size(); i += stride_) {
      const std::string label = one_line(bars_.bars[i].label);
      const double x = middle_of(i);
      if (labels_level_) {
        const auto [key, sequences] = halves(label);
        put(key, x, bottom() + 16, label_size, TextAlign::middle);
        if (!sequences.empty()) {
          put(sequences, x, bottom() + 30, label_size, TextAlign::middle).color = faint;
        }
        continue;
      }
      scene_.put_turned_label(fitted(label, longest_label, label_size), x);
    }
  }

  static constexpr uint32_t no_entry = UINT32_MAX;
  struct Line {
    uint32_t entry;
    std::string name;
    std::string share;
  };

  const TreeBars& bars_;
  trees::Metric metric_;
  const PictureWords& words_;
  const TextWidth& width_of_;
  PictureScene scene_;
  int64_t most_ = 0;  // of all bars
  double pitch_ = 0, bar_width_ = 0, plot_width_ = 0, left_ = 0, below_ = 0;
  double left_of_labels_ = 0;
  double headroom_ = 0;
  bool totals_level_ = false, totals_shown_ = false, labels_level_ = false;
  size_t stride_ = 1;
  double step_ = 1;
  int decimals_ = 0;
  std::vector<Line> lines_;
  double name_width_ = 0, share_width_ = 0, legend_width_ = 0;
};

}  // namespace

std::string one_line(const std::string& text) {
  std::string shown = printable(text);
  std::replace(shown.begin(), shown.end(), '\t', ' ');
  return shown;
}

DrawnText& Scene::put(std::string text, double x, double y, double size, DrawnText::Align align) {
  DrawnText& put = texts.emplace_back();
  put.text = std::move(text);
  put.x = x;
  put.y = y;
  put.size = size;
  put.align = align;
  return put;
}

double Scene::put_title(const std::string& title, const std::vector<std::string>& facts,
                        const TextWidth& width_of) {
  const double room = width - 2 * edge;
  double y = edge;
  std::vector<std::string> words{one_line(title)};
  for (size_t at = 0; (at = words.back().find(' ')) != std::string::npos;) {
    std::string rest = words.back().substr(at + 1);
    words.back().resize(at);
    words.push_back(std::move(rest));
  }
  for (std::string& line : wrapped_text(words, " ", room, 16, true, width_of)) {
    y += 14;
    put(std::move(line), edge, y, 16, TextAlign::left).bold = true;
    y += 8;
  }
  std::vector<std::string> clean;
  clean.reserve(facts.size());
  for (const std::string& fact : facts) clean.push_back(one_line(fact));
  for (std::string& line : wrapped_text(clean, "  ·  ", room, 12, false, width_of)) {
    y += 13;
    put(std::move(line), edge, y, 12, TextAlign::left).color = faint;
    y += 5;
  }
  return y;
}

void Scene::put_tick(double y, std::string number, bool is_axis) {
  lines.push_back({plot.x, y, right(), y, is_axis ? axis_color : grid_color});
  put(std::move(number), plot.x - 8, y + 3.8, label_size, TextAlign::right).color = faint;
}

void Scene::put_axis_title(std::string text) {
  DrawnText& title =
      put(std::move(text), edge + 8, bottom() - plot.height / 2, name_size, TextAlign::middle);
  title.turn = -90;
  title.color = faint;
}

void Scene::put_turned_label(std::string text, double x) {
  lines.push_back({x, bottom(), x, bottom() + 4, axis_color});
  put(std::move(text), x + 3, bottom() + 13, label_size, TextAlign::right).turn = -45;
}

PictureScene lay_out_picture(const TreeBars& bars, trees::Metric metric, const PictureWords& words,
                             const TextWidth& width_of) {
  return Layout(bars, metric, words, width_of).make();
}

}  // namespace kr::picture
