#include "overview/devices_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "overview/shown_runs.hpp"
#include "tables/run_names.hpp"
#include "text/numbers.hpp"
#include "text/text_grid.hpp"

namespace kr::overview {
namespace {

using Align = text::TextGrid::Align;
using GridCell = text::TextGrid::Cell;

constexpr size_t bar_length = 20;
constexpr size_t longest_device = 32;
constexpr size_t longest_device_run = 28;

struct DevicePart {
  const char* name;
  const char* short_name;
  const char* shortest_name;
  const char* glyph;  // one column wide
  int64_t analyze::Breakdown::*ns;
};

constexpr std::array device_parts{
    DevicePart{"compute", "compute", "compute", "█", &analyze::Breakdown::compute_ns},
    DevicePart{"exposed communication", "exp. comm.", "comm.", "▓",
               &analyze::Breakdown::exposed_communication_ns},
    DevicePart{"exposed memory", "exp. mem.", "mem.", "▒", &analyze::Breakdown::exposed_memory_ns},
    DevicePart{"idle", "idle", "idle", "░", &analyze::Breakdown::idle_ns}};

/// What a grid shows: less if it is too wide.
struct Detail {
  bool bar = true;
  bool long_names = true;
  bool times = true;  // of the parts, beside their shares
  size_t run_columns = longest_device_run;
  size_t device_columns = longest_device;
};

class DevicesText {
 public:
  DevicesText(const tables::Source& source, TableOptions options)
      : options_(options), shown_(shown_runs(source, options)) {
    for (const size_t place : shown_.runs) {
      const analyze::RunSummary& run = source.runs[place].summary;
      for (const analyze::DeviceSum& device : run.devices) {
        rows_.push_back({source.run_name(run.id), &device});
      }
    }
    text::ColumnUnit spans;
    for (const tables::Run& run : source.runs) {
      for (const analyze::DeviceSum& device : run.summary.devices) {
        ++devices_;
        spans.add(device.span_ns);
        for (const auto time :
             {&analyze::Breakdown::span_ns, &analyze::Breakdown::compute_ns,
              &analyze::Breakdown::exposed_communication_ns, &analyze::Breakdown::exposed_memory_ns,
              &analyze::Breakdown::idle_ns}) {
          sum_.*time += device.*time;
        }
      }
    }
    several_runs_ = source.runs.size() > 1;
    sums_ = devices_ > 1 && (!several_runs_ || tables::named_by_rank(source));
    unit_ = spans.unit();
  }

  std::string text() const {
    if (rows_.empty()) return {};
    const Detail steps[] = {
        {},
        {.long_names = false},
        {.long_names = false, .run_columns = 16, .device_columns = 8},
        {.bar = false, .long_names = false},
        {.bar = false, .long_names = false, .run_columns = 16, .device_columns = 8},
        {.bar = false,
         .long_names = false,
         .times = false,
         .run_columns = 12,
         .device_columns = 8}};
    for (const Detail& detail : steps) {
      const text::TextGrid made = grid(detail);
      const bool last = &detail == std::end(steps) - 1;
      if (!last && options_.columns() > 0 && made.width() + 2 > options_.columns()) continue;
      return made.text(2, options_.color) + left() + (detail.bar ? legend() : "");
    }
    return {};
  }

 private:
  struct Row {
    std::string run;
    const analyze::DeviceSum* device;
  };

  /// The parts of a device in proportion; what is less than half a glyph is not in it.
  static std::string bar(const analyze::Breakdown& time) {
    std::string text;
    int64_t before_ns = 0;
    size_t drawn = 0;
    for (const DevicePart& part : device_parts) {
      before_ns += time.*part.ns;
      const auto wide = static_cast<unsigned __int128>(before_ns) * bar_length * 2;
      const auto whole = static_cast<unsigned __int128>(std::max<int64_t>(time.span_ns, 1));
      const auto end = static_cast<size_t>((wide / whole + 1) / 2);
      for (; drawn < end; ++drawn) text += part.glyph;
    }
    return text;
  }

  std::string left() const {
    const std::string text = shown_.left_text();
    return text.empty() ? text : "  " + options_.ink(text, text::Ink::faint) + '\n';
  }

  std::string legend() const {
    std::string text = " ";
    for (const DevicePart& part : device_parts) {
      text += fmt::format(" {} {} ", part.glyph, part.name);
    }
    text.pop_back();
    return options_.ink(text, text::Ink::faint) + '\n';
  }

  text::TextGrid grid(const Detail& detail) const {
    text::TextGrid grid;
    if (several_runs_) grid.column("run", Align::text);
    grid.column("device", Align::text);
    if (detail.bar) grid.column("", Align::text);
    grid.column(fmt::format("span {}", unit_.name), Align::number);
    for (const DevicePart& part : device_parts) {
      const std::string name = detail.long_names ? part.name
                               : detail.times    ? part.short_name
                                                 : part.shortest_name;
      if (detail.times) grid.column(name, Align::number);
      grid.column(detail.times ? "%" : name + " %", Align::number, detail.times ? 1 : 2);
    }
    const auto add = [&](const std::string& run, const std::string& device, std::string drawn,
                         const analyze::Breakdown& time, text::Ink ink) {
      std::vector<GridCell> cells;
      cells.reserve(4 + 2 * device_parts.size());
      if (several_runs_) cells.push_back({text::cut_middle(run, detail.run_columns), {}});
      cells.push_back({text::cut(device, detail.device_columns), {}});
      if (detail.bar) cells.push_back({std::move(drawn), {}});
      cells.push_back({text::in_unit(time.span_ns, unit_), {}});
      for (const DevicePart& part : device_parts) {
        if (detail.times) cells.push_back({text::in_unit(time.*part.ns, unit_), {}});
        cells.push_back({text::share(time.*part.ns, time.span_ns), {}});
      }
      grid.row(std::move(cells), ink);
    };
    for (const Row& row : rows_) {
      const analyze::DeviceSum& device = *row.device;
      const std::string name = device.name.empty()
                                   ? fmt::format("{}", device.device)
                                   : fmt::format("{}  {}", device.device, device.name);
      add(row.run, name, bar(device), device, text::Ink::none);
    }
    if (sums_) {
      grid.rule();
      const std::string all = fmt::format("all {}", devices_);
      add(several_runs_ ? "all" : "", several_runs_ ? fmt::format("{}", devices_) : all, bar(sum_),
          sum_, text::Ink::bold);
    }
    return grid;
  }

  TableOptions options_;
  ShownRuns shown_;
  std::vector<Row> rows_;
  size_t devices_ = 0;  // of all runs
  analyze::Breakdown sum_;
  text::TimeUnit unit_{};
  bool several_runs_ = false;
  bool sums_ = false;  // of all devices: of different runs they mean nothing
};

}  // namespace

std::string devices_text(const tables::Source& source, TableOptions options) {
  return DevicesText(source, options).text();
}

}  // namespace kr::overview
