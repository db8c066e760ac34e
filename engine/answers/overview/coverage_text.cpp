// `kr coverage` for a terminal.
#include <fmt/format.h>

#include <algorithm>

#include "analyze/run.hpp"
#include "base/join.hpp"
#include "base/plural.hpp"
#include "base/printable.hpp"
#include "cost/costed_run.hpp"
#include "cost/gaps.hpp"
#include "coverage/suggest.hpp"
#include "overview/overview.hpp"
#include "text/numbers.hpp"
#include "text/text_grid.hpp"

namespace kr::overview {

namespace {

using Align = text::TextGrid::Align;

constexpr size_t longest_name = 48;

class CoverageText {
 public:
  CoverageText(const tables::Source& source, const coverage::TimeCoverage& coverage,
               TableOptions options)
      : source_(source), rules_(*source.rules), coverage_(coverage), options_(options) {}

  std::string text() {
    facts();
    runs();
    for (const tables::Run& run : source_.runs) {
      if (run.find<cost::CostedRun>() != nullptr) costs(run);
    }
    const int64_t open_ns = coverage_.total_ns - coverage_.explained_ns;
    if (coverage_.unexplained.empty()) {
      out_ += open_ns == 0 && coverage_.total_ns > 0
                  ? fmt::format("every name is explained by a rule of {}\n", coverage_.dimension)
                  : std::string();
      return std::move(out_);
    }
    for (size_t i = 0; i < coverage_.unexplained.size(); ++i) suggestion(i);
    if (coverage_.omitted_groups > 0) {
      out_ +=
          fmt::format("{} more, {}: --top 0 shows all\n", plural(coverage_.omitted_groups, "group"),
                      text::human_time(coverage_.omitted_ns));
    }
    if (any_generic()) {
      out_ += text::wrapped(
          "Rules of `generic` apply to traces of every engine without rules of its own: for your "
          "own engine, `kr init NAME` writes a file for such rules.",
          options_.columns(), 0);
    }
    return std::move(out_);
  }

 private:
  /// As it is, for a terminal: what is to be pasted is not wrapped.
  void line(size_t indent, std::string_view text, text::Ink how = text::Ink::none) {
    out_ += std::string(indent, ' ') + options_.ink(text, how) + '\n';
  }
  std::string share(int64_t ns) const { return text::share(ns, coverage_.total_ns); }

  bool any_generic() const {
    const auto engine = rules_.program().engine("generic");
    return engine &&
           std::any_of(coverage_.runs.begin(), coverage_.runs.end(),
                       [&](const coverage::MeasuredRun& run) {
                         return rules_.program().models.get(run.model).engine == *engine &&
                                run.explained_ns < run.total_ns;
                       });
  }

  void facts() {
    const sema::Program& program = rules_.program();
    for (const coverage::MeasuredRun& run : coverage_.runs) {
      out_ += options_.ink(
          text::wrapped(fmt::format("{}: {} · {}/{}{}{}", run.source, run.format,
                                    program.engines.get(program.models.get(run.model).engine).name,
                                    program.models.get(run.model).name,
                                    run.choice_why.empty() ? "" : " · ", run.choice_why),
                        options_.columns(), 0),
          text::Ink::faint);
      if (!run.has_dimension) {
        line(0,
             fmt::format("{} has no rules for {}", program.title(run.model), coverage_.dimension),
             text::Ink::warning);
      }
      if (run.total_ns == 0) {
        line(0, std::string(no_operations(run.known_layout)), text::Ink::warning);
      }
      for (const trace::DroppedRecords& records : run.dropped)
        line(0, dropped_text(records), text::Ink::warning);
    }
    out_ += '\n';
  }

  void runs() {
    text::TextGrid grid;
    text::ColumnUnit times;
    times.add(coverage_.total_ns);
    const text::TimeUnit unit = times.unit();
    grid.column("run", Align::text);
    grid.column(fmt::format("explained {}", unit.name), Align::number);
    grid.column(fmt::format("of {}", unit.name), Align::number);
    grid.column("%", Align::number);
    // What only common words of names explain may be wrong.
    grid.column("by common words %", Align::number);
    grid.column("names", Align::number);
    grid.column("unexplained", Align::number);
    for (const coverage::MeasuredRun& run : coverage_.runs) {
      const auto open =
          std::count_if(run.names.begin(), run.names.end(),
                        [](const coverage::MeasuredName& name) { return !name.explained; });
      grid.row({{text::cut_middle(source_.run_name(run.id), longest_name), {}},
                {text::in_unit(run.explained_ns, unit), {}},
                {text::in_unit(run.total_ns, unit), {}},
                {run.total_ns == 0 ? "-" : share_explained(run.explained_ns, run.total_ns), {}},
                {run.total_ns == 0 ? "-" : share_explained(run.common_words_ns, run.total_ns), {}},
                {text::grouped(static_cast<int64_t>(run.names.size())), {}},
                {text::grouped(open), {}}});
    }
    if (coverage_.runs.size() > 1) {
      grid.rule();
      grid.row({{"together", {}},
                {text::in_unit(coverage_.explained_ns, unit), {}},
                {text::in_unit(coverage_.total_ns, unit), {}},
                {share_explained(coverage_.explained_ns, coverage_.total_ns), {}},
                {share_explained(coverage_.common_words_ns, coverage_.total_ns), {}}},
               text::Ink::bold);
    }
    out_ += grid.text(0, options_.color);
    if (coverage_.common_words_ns > 0) {
      out_ += text::wrapped(
          fmt::format("{} % of the time is explained only by common words of names (std.words): "
                      "these labels may be wrong",
                      share(coverage_.common_words_ns)),
          options_.columns(), 0);
    }
    out_ += '\n';
  }

  /// Which part of the time has FLOPs and bytes, and which ops to declare next.
  void costs(const tables::Run& run) {
    constexpr size_t max_ops = 8;
    const int64_t total_ns = run.summary.gpu_total_ns;
    const std::string name =
        source_.runs.size() > 1
            ? " of " + text::cut_middle(source_.run_name(run.summary.id), longest_name)
            : "";
    if (run.find<analyze::LabelledTrace>() == nullptr ||
        !run.get<analyze::LabelledTrace>().trace.host ||
        !run.get<analyze::LabelledTrace>().trace.host->ops) {
      line(0, "Costs" + name + ": no ops of a framework are recorded", text::Ink::warning);
      out_ += '\n';
      return;
    }
    line(0,
         fmt::format("Costs{}: FLOPs are known for {} % of the time, bytes for {} %", name,
                     text::share(run.get<cost::CostedRun>().flops_ns, total_ns),
                     text::share(run.get<cost::CostedRun>().bytes_ns, total_ns)),
         text::Ink::bold);
    const std::vector<cost::Gap> gaps = cost::by_op(cost::gaps_of(
        run.get<cost::CostedRun>(), run.get<analyze::LabelledTrace>().trace, total_ns));
    text::TextGrid grid;
    grid.column("without a cost", Align::text);
    grid.column("time", Align::number);
    grid.column("%", Align::number);
    grid.column("why", Align::text);
    grid.column("shapes", Align::text);
    for (size_t i = 0; i < std::min(max_ops, gaps.size()); ++i) {
      const cost::Gap& gap = gaps[i];
      grid.row({{gap.op.empty() ? "—" : text::cut_middle(printable(gap.op), longest_name), {}},
                {text::human_time(gap.total_ns), {}},
                {text::share(gap.total_ns, total_ns), {}},
                {std::string(cost::to_string(gap.why)), {}},
                {text::cut(gap.shapes, longest_name), {}}});
    }
    if (gaps.empty()) {
      out_ += '\n';
      return;
    }
    out_ += grid.text(0, options_.color);
    if (gaps.size() > max_ops) {
      line(0, fmt::format("{} more: --tables cost_gaps", plural(gaps.size() - max_ops, "row")));
    }
    // Collectives have tables of their own.
    const auto next = std::find_if(gaps.begin(), gaps.end(), [](const cost::Gap& gap) {
      return gap.why == cost::NoCost::no_clause && gap.op != "record_param_comms" &&
             !gap.op.starts_with("c10d::");
    });
    if (next != gaps.end()) {
      line(0, fmt::format("To declare next: a clause for {}", printable(next->op)));
    }
    if (run.get<cost::CostedRun>().graph_ns > 0) {
      line(0, "A trace of the capture contains the shapes of kernels in graphs: --reference TRACE");
    }
    out_ += '\n';
  }

  void suggestion(size_t index) {
    const coverage::Suggestion& one = coverage_.unexplained[index];
    const std::string head = fmt::format("{}. {}", index + 1, text::cut(one.common_text, 60));
    out_ += options_.ink(head, text::Ink::bold) +
            fmt::format("  +{} · {} % of all · {} · {}\n", text::human_time(one.total_ns),
                        share(one.total_ns), plural(one.names.size(), "name"),
                        plural(static_cast<size_t>(one.instances), "instance"));
    line(3,
         text::cut(one.names[0].name,
                   options_.columns() > 0 ? std::max<size_t>(options_.columns(), 24) - 3 : 0),
         text::Ink::faint);
    if (coverage_.runs.size() > 1) {
      for (const coverage::Suggestion::InRun& in_run : one.runs) {
        const coverage::MeasuredRun& run = coverage_.runs[in_run.run];
        line(3,
             fmt::format("in {}: +{} · {} % of it",
                         text::cut_middle(source_.run_name(run.id), longest_name),
                         text::human_time(in_run.total_ns),
                         text::share(in_run.total_ns, run.total_ns)),
             text::Ink::faint);
      }
    }
    if (one.rule.empty()) {
      line(3, "no rule can match an empty name");
    } else {
      to_paste(one);
    }
    out_ += '\n';
  }

  void to_paste(const coverage::Suggestion& one) {
    const coverage::InsertionPlace& place = one.place;
    const std::string file = printable(rules_.sources().path(place.file));
    const std::string where =
        place.new_block       ? fmt::format("a new block {} {{ … }}", coverage_.dimension)
        : place.below.empty() ? fmt::format("first in its block {}", coverage_.dimension)
                              : fmt::format("below `{}`", place.below);
    if (place.installed && !one.insert.empty()) {
      line(3,
           fmt::format("in a file of your own ({} is installed with kr), or in one that `kr init` "
                       "writes:",
                       file));
      lines(one.insert, true);
      line(3, "and in the same file:");
      lines(one.test, false);
      labelled_by(one);
      return;
    }
    if (place.installed) {
      line(3, fmt::format("in a file of your own, which `kr init NAME` writes, in its block {}:",
                          coverage_.dimension));
    } else {
      line(3, fmt::format("{}:{}, {}, {}:", file, place.line, place.owner, where));
    }
    if (place.new_dimension) {
      line(5, fmt::format("{} {{", coverage_.dimension));
      line(7, one.rule, text::Ink::bold);
      line(7, "otherwise keep");
      line(5, "}");
    } else {
      line(5, one.rule, text::Ink::bold);
    }
    line(3, "and, outside the engine:");
    lines(one.test, false);
    labelled_by(one);
  }

  void lines(std::string_view text, bool bold) {
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      line(end == at ? 0 : 5, text.substr(at, end - at), bold ? text::Ink::bold : text::Ink::none);
      at = end + 1;
    }
  }

  void labelled_by(const coverage::Suggestion& one) {
    line(3,
         one.label_words.empty()
             ? fmt::format("no word indicates a label: replace {} by the one you choose", one.label)
             : fmt::format("{} by `{}`", one.label, join(one.label_words, "`, `")),
         text::Ink::faint);
  }

  const tables::Source& source_;
  const match::CompiledRules& rules_;
  const coverage::TimeCoverage& coverage_;
  TableOptions options_;
  std::string out_;
};

}  // namespace

std::string_view no_operations(bool known_layout) noexcept {
  return known_layout ? "no GPU work in this trace"
                      : "no operations were read: kr does not know the layout of this trace";
}

std::string share_explained(int64_t part, int64_t whole) {
  if (whole == 0) return "100.00";
  const auto wide = static_cast<unsigned __int128>(part) * 10000;
  const auto hundredths = static_cast<uint64_t>(wide / static_cast<unsigned __int128>(whole));
  return fmt::format("{}.{:02}", hundredths / 100, hundredths % 100);
}

std::string coverage_text(const tables::Source& source, const coverage::TimeCoverage& coverage,
                          TableOptions options) {
  return CoverageText(source, coverage, options).text();
}

}  // namespace kr::overview
