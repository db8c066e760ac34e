#include "overview/efficiency_text.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "base/printable.hpp"
#include "render/shown_table.hpp"
#include "tables/efficiency.hpp"
#include "text/numbers.hpp"
#include "text/text_grid.hpp"

namespace kr::overview {
namespace {

using job::Nccl;
using Align = text::TextGrid::Align;

constexpr size_t longest_job = 20;

struct Value {
  std::optional<double> number;
  bool times = false;  // a speedup, and not a part of something

  std::string text() const {
    if (!number) return "";
    return times ? text::short_number(*number) + "x" : text::short_percent(100 * *number);
  }
  /// Blue is good and orange is not, which all people can tell apart.
  const char* tint() const {
    if (!number || times) return "";
    if (*number < 0.6) return "#d55e00";
    return *number < 0.8 ? "#e69f00" : "#56b4e9";
  }
};

struct Factor {
  int depth;
  const char* name;
  std::vector<Value> values;  // by column
};

/// Jobs and a reading, or one job and all readings.
struct Column {
  const tables::NamedJob* job;
  Nccl reading;
  std::string head;
};

class Factors {
 public:
  Factors(const std::vector<Column>& columns, const tables::NamedJob* reference,
          job::Scaling scaling) {
    const auto add = [&](int depth, const char* name, const auto& of, bool times = false) {
      Factor& row = rows_.emplace_back(Factor{depth, name, {}});
      for (const Column& column : columns) {
        const std::optional<job::Ratio> ratio = of(column);
        row.values.push_back({ratio ? std::optional(ratio->value()) : std::nullopt, times});
      }
    };
    const auto whole = [](const Column& column) -> const job::Efficiency& {
      return column.job->efficiency.whole();
    };
    const auto against = [&](const Column& column) {
      return job::scalability_of(reference->efficiency.whole(), whole(column), column.reading,
                                 scaling);
    };
    const int below = reference != nullptr ? 1 : 0;
    if (reference != nullptr) {
      add(0, "global efficiency", [&](const Column& one) { return against(one).global; });
    }
    add(below, "parallel efficiency",
        [&](const Column& one) { return whole(one).parallel(one.reading); });
    add(below + 1, "load balance",
        [&](const Column& one) { return whole(one).load_balance(one.reading); });
    add(below + 1, "communication efficiency",
        [&](const Column& one) { return whole(one).communication(one.reading); });
    add(below + 1, "orchestration efficiency",
        [&](const Column& one) { return whole(one).orchestration(); });
    if (reference == nullptr) return;
    add(1, "computation scalability", [&](const Column& one) { return against(one).computation; });
    add(
        0, "speedup", [&](const Column& one) { return against(one).speedup; }, true);
  }

  const std::vector<Factor>& rows() const { return rows_; }

 private:
  std::vector<Factor> rows_;
};

/// One table: its columns, and what stands above it.
struct Block {
  std::string title;
  std::vector<Column> columns;
};

class Efficiencies {
 public:
  explicit Efficiencies(const tables::Source& source)
      : source_(source), jobs_(tables::baseline_jobs(source)) {
    if (!jobs_.empty()) reference_ = 0;
    for (tables::NamedJob& one : tables::jobs_of(source)) jobs_.push_back(std::move(one));
  }

  std::vector<Block> blocks() const {
    std::vector<Block> blocks;
    if (jobs_.size() == 1) {
      Block& block = blocks.emplace_back();
      const job::Efficiency& whole = jobs_[0].efficiency.whole();
      const bool partial = jobs_[0].ranks > 1 && jobs_[0].larger_job;
      block.title = fmt::format(
          "parallel efficiency (%){}: {}, span {}", partial ? " of " + jobs_[0].name : "",
          text::counted(whole.devices, "device"), text::human_time(whole.elapsed_ns));
      for (const Nccl reading : source_.efficiency.readings) {
        block.columns.push_back({&jobs_[0], reading, fmt::format("nccl {}", to_string(reading))});
      }
      return blocks;
    }
    for (const Nccl reading : source_.efficiency.readings) {
      Block& block = blocks.emplace_back();
      block.title = fmt::format(
          "parallel efficiency (%), nccl {}{}", to_string(reading),
          reference_ ? fmt::format(", {} scaling", to_string(source_.efficiency.scaling)) : "");
      for (const tables::NamedJob& one : jobs_) {
        block.columns.push_back(
            {&one, reading,
             fmt::format("{}\n{}", text::cut_middle(one.name, longest_job),
                         text::counted(one.efficiency.whole().devices, "device"))});
      }
    }
    return blocks;
  }

  std::vector<Factor> factors(const std::vector<Column>& columns) const {
    return Factors(columns, reference_ ? &jobs_[*reference_] : nullptr, source_.efficiency.scaling)
        .rows();
  }

  /// What is to be known of them.
  std::vector<std::string> remarks() const {
    std::vector<std::string> remarks;
    bool both = false;
    bool spans = false;
    std::string some;
    for (const tables::NamedJob& one : jobs_) {
      // One run by itself is not taken for a job, but where it is compared with one.
      if (some.empty() && one.larger_job && (one.ranks > 1 || reference_)) {
        some = fmt::format(
            "Only {} of {} ranks of {} are here: the load balance and the efficiencies of the job "
            "are not known, these are of the ranks that are.",
            one.ranks, *one.larger_job, reference_ ? printable(one.name) : "the job");
      }
      const job::Efficiency& whole = one.efficiency.whole();
      both |= whole.useful_ns.useful != whole.useful_ns.communication;
      spans |= !whole.one_clock;
    }
    if (!some.empty()) remarks.push_back(std::move(some));
    if (spans) {
      remarks.emplace_back(
          "The clocks of the ranks are not known to agree: the time is the longest span of a rank, "
          "and efficiencies are upper bounds.");
    }
    if (both && source_.efficiency.readings.front() == Nccl::useful) {
      remarks.emplace_back(
          "As useful work, communication kernels that wait for a slow rank look busy and hide it.");
    }
    return remarks;
  }

 private:
  const tables::Source& source_;
  std::vector<tables::NamedJob> jobs_;
  std::optional<size_t> reference_;
};

text::TextGrid grid_of(const Efficiencies& all, std::span<const Column> columns) {
  text::TextGrid grid;
  grid.column("", Align::text);
  for (const Column& column : columns) grid.column(column.head, Align::number, 3);
  for (const Factor& row : all.factors({columns.begin(), columns.end()})) {
    std::vector<text::TextGrid::Cell> cells{
        {std::string(static_cast<size_t>(2 * row.depth), ' ') + row.name, {}}};
    for (const Value& value : row.values) cells.push_back({value.text(), value.tint()});
    grid.row(std::move(cells), row.depth == 0 ? text::Ink::bold : text::Ink::none);
  }
  return grid;
}

}  // namespace

std::string efficiency_text(const tables::Source& source, TableOptions options) {
  if (!tables::has_parallel_jobs(source)) return {};
  const Efficiencies all(source);
  std::string out;
  for (const Block& block : all.blocks()) {
    out += options.ink(block.title, text::Ink::bold) + '\n';
    for (std::span<const Column> left(block.columns); !left.empty();) {
      size_t count = left.size();
      text::TextGrid grid = grid_of(all, left);
      while (options.columns() > 0 && count > 1 && grid.width() + 2 > options.columns()) {
        grid = grid_of(all, left.first(--count));
      }
      out += grid.text(2, options.color);
      left = left.subspan(count);
    }
  }
  for (const std::string& remark : all.remarks()) {
    std::string lines = text::wrapped(remark, options.columns(), 2);
    lines.pop_back();
    out += options.ink(lines, text::Ink::faint) + '\n';
  }
  return out + '\n';
}

std::string markdown_efficiency(const tables::Source& source) {
  if (!tables::has_parallel_jobs(source)) return {};
  const Efficiencies all(source);
  std::string out;
  for (const Block& block : all.blocks()) {
    out += fmt::format("### {}\n\n|  |", render::markdown_text(block.title));
    std::string rule = "\n| --- |";
    for (const Column& column : block.columns) {
      std::string head = column.head;
      if (const size_t at = head.find('\n'); at != std::string::npos) head.replace(at, 1, ", ");
      out += fmt::format(" {} |", render::markdown_text(head));
      rule += " ---: |";
    }
    out += rule + '\n';
    for (const Factor& row : all.factors(block.columns)) {
      out += "| ";
      for (int i = 0; i < row.depth; ++i) out += "– ";
      out += fmt::format("{} |", row.name);
      for (const Value& value : row.values) out += fmt::format(" {} |", value.text());
      out += '\n';
    }
    out += '\n';
  }
  for (const std::string& remark : all.remarks()) out += remark + "\n\n";
  return out;
}

}  // namespace kr::overview
