#include "baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/join.hpp"
#include "base/natural_order.hpp"
#include "base/plural.hpp"
#include "base/printable.hpp"
#include "changes/trend.hpp"
#include "picture/label_styles.hpp"
#include "picture/trend_picture.hpp"
#include "render/renderers.hpp"
#include "saved/codec.hpp"
#include "session.hpp"
#include "text/numbers.hpp"

namespace kr::cli {
namespace {

using changes::StepMeasure;
using changes::TrendLine;

constexpr size_t most_labels = 10;  // of a picture

std::string how_to_save(const std::string& folder) {
  return fmt::format("save runs there: `kr report RUN --save {}`",
                     (std::filesystem::path(folder) / "NAME.krun").string());
}

/// The files and folders in a folder by natural order; hidden ones are left out.
std::vector<std::filesystem::path> entries_of(const std::string& folder) {
  std::error_code error;
  std::filesystem::directory_iterator at(folder, error);
  std::vector<std::filesystem::path> entries;
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    if (at->path().filename().string().starts_with('.')) continue;
    entries.push_back(at->path());
  }
  if (error == std::errc::no_such_file_or_directory) {
    throw Error(folder, "no such folder", how_to_save(folder));
  }
  if (error == std::errc::not_a_directory) {
    throw Error(folder, "is not a folder", "name the folder of the saved runs");
  }
  if (error) throw Error(folder, fmt::format("cannot be read: {}", error.message()));
  std::sort(entries.begin(), entries.end(), [](const auto& x, const auto& y) {
    return natural_less(x.filename().string(), y.filename().string());
  });
  return entries;
}

/// As it is on the picture: a saved run by its name alone.
std::string run_name(const std::string& source) {
  const size_t slash = source.rfind('/');
  std::string name = slash == std::string::npos ? source : source.substr(slash + 1);
  if (saved::names_saved_run(name)) name.resize(name.size() - std::string_view(".krun").size());
  return name;
}

picture::TrendPictureLine picture_line(const changes::Trend& trend, const TrendLine& line,
                                       std::string name, std::string color, bool bold) {
  picture::TrendPictureLine out{std::move(name), std::move(color), {}, {}, bold};
  for (const changes::TrendPoint& point : line.points) out.ns.push_back(point.ns);
  out.note = trend.verdict_of(line);
  return out;
}

double largest_of(const TrendLine& line) {
  double most = 0;
  for (const changes::TrendPoint& point : line.points) most = std::max(most, point.ns.value_or(0));
  return most;
}

/// Those that the rules declare, else those that depend on the text alone.
std::vector<picture::LabelStyle> styles_of(const tables::Source& source,
                                           const std::vector<const TrendLine*>& labels) {
  analyze::RunSummary of_trend;
  for (const TrendLine* const line : labels) {
    if (of_trend.dimensions.empty()) of_trend.dimensions.push_back({line->dimension, {}});
    of_trend.dimensions[0].labels.push_back({line->key});
  }
  std::vector<const analyze::RunSummary*> runs = source.summaries();
  runs.push_back(&of_trend);
  return picture::label_styles(source.rules->program(), runs);
}

picture::TrendPictureInput picture_of(const tables::Source& source, const tables::RunPair& pair,
                                      const std::string& by) {
  const changes::Trend& trend = pair.trend;
  const changes::Comparison& comparison = pair.comparison;
  // On one axis is only what is of the same unit.
  const changes::PhaseChange* const phase =
      comparison.unit.kind == changes::Unit::Kind::steps ? comparison.main_phase() : nullptr;
  picture::TrendPictureInput out;
  std::vector<const TrendLine*> labels;
  for (const TrendLine& line : trend.lines) {
    switch (line.scope) {
      case TrendLine::Scope::run:
        out.axis = "time per " + line.per;
        if (phase != nullptr) break;
        out.lines.push_back(picture_line(trend, line, "all work", "#1a1f26", true));
        break;
      case TrendLine::Scope::phase:
        if (phase == nullptr || line.key != phase->phase || line.measure != StepMeasure::wall) {
          break;
        }
        out.lines.push_back(picture_line(trend, line, "wall time", "#1a1f26", true));
        break;
      case TrendLine::Scope::label:
        if (line.dimension == by) labels.push_back(&line);
        break;
    }
  }
  std::stable_sort(labels.begin(), labels.end(), [](const TrendLine* x, const TrendLine* y) {
    return largest_of(*x) > largest_of(*y);
  });
  const size_t all = labels.size();
  labels.resize(std::min(all, most_labels));
  const std::vector<picture::LabelStyle> styles = styles_of(source, labels);
  for (const TrendLine* const line : labels) {
    const auto style = std::find_if(styles.begin(), styles.end(), [&](const auto& one) {
      return one.dimension == line->dimension && one.label == line->key;
    });
    const std::string& name = style->title.empty() ? line->key : style->title;
    out.lines.push_back(picture_line(trend, *line, name, style->color, false));
  }
  out.first_new = trend.runs_of_a();
  for (const changes::TrendRun& run : trend.runs) out.runs.push_back(run_name(run.name));
  out.title = fmt::format("Trend by {}", by);
  out.facts = {text::counted(static_cast<int64_t>(out.first_new), "saved run"),
               text::counted(static_cast<int64_t>(out.runs.size() - out.first_new), "new run")};
  if (all > labels.size()) {
    out.facts.push_back(fmt::format("the {} largest of {} labels", labels.size(), all));
  }
  if (!trend.no_verdict.empty()) out.facts.push_back("no verdict: " + trend.no_verdict);
  return out;
}

}  // namespace

std::vector<std::string> baseline_runs(const std::string& folder, size_t most,
                                       const std::vector<std::string>& fresh, Streams& streams) {
  std::vector<std::string> runs, others;
  for (const std::filesystem::path& entry : entries_of(folder)) {
    std::error_code error;
    if (!saved::names_saved_run(entry.string()) || std::filesystem::is_directory(entry, error)) {
      others.push_back(entry.filename().string());
      continue;
    }
    const bool is_new = std::any_of(fresh.begin(), fresh.end(), [&](const std::string& run) {
      return std::filesystem::equivalent(entry, parse_run(run).path, error);
    });
    if (!is_new) runs.push_back(entry.string());
  }
  if (!others.empty()) {
    constexpr size_t most_named = 3;
    const size_t named = std::min(others.size(), most_named);
    std::string names = join(
        std::vector<std::string>(others.begin(), others.begin() + static_cast<ptrdiff_t>(named)),
        ", ");
    if (named < others.size()) names += fmt::format(" and {} more", others.size() - named);
    streams.note(fmt::format("{}: not saved runs (*.krun), passed over: {}", printable(folder),
                             printable(names)));
  }
  if (runs.empty()) {
    throw Error(folder, "has no saved run (*.krun) to compare with", how_to_save(folder));
  }
  if (runs.size() > most) runs.erase(runs.begin(), runs.end() - static_cast<ptrdiff_t>(most));
  return runs;
}

void write_trend_pictures(const tables::Source& source, const tables::RunPair& pair,
                          const std::string& by, const std::filesystem::path& folder, bool force,
                          Streams& streams) {
  const picture::TrendPicture picture = picture::trend_picture(picture_of(source, pair, by));
  std::vector<PendingFile> files;
  for (const auto& [name, bytes] :
       {std::pair<const char*, const std::string*>{"trend.png", &picture.png},
        {"trend.svg", &picture.svg}}) {
    PendingFile& file = files.emplace_back(folder / name);
    if (!force) render::check_own(file);
    file.write(*bytes);
  }
  std::vector<PendingFile*> all;
  all.reserve(files.size());
  for (PendingFile& file : files) all.push_back(&file);
  commit_all(all);
  for (const PendingFile& file : files) {
    streams.note(fmt::format("wrote {}", file.path().string()));
  }
}

}  // namespace kr::cli
