#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/run.hpp"
#include "analyze/steps.hpp"
#include "base/distinct_texts.hpp"
#include "page/page_data.hpp"
#include "page/pages.hpp"
#include "page/tree_page_data.hpp"
#include "picture/label_styles.hpp"
#include "picture/tree_bars.hpp"
#include "tables/registry.hpp"
#include "tables/tree.hpp"
#include "text/names.hpp"
#include "trees/names.hpp"

namespace kr::page {
namespace {

constexpr size_t max_context = 200;    // members of the context that are shown
constexpr size_t longest_value = 300;  // characters of one
constexpr size_t longest_key = 120;    // of a step's

class PageWriter {
 public:
  PageWriter(JsonWriter& json, const sema::Program& program, const trees::TreeView& view,
             trees::Metric metric, const TreePageLimits& limits)
      : json_(json),
        program_(program),
        view_(view),
        metric_(metric),
        data_(tree_page_data(view, limits)),
        max_text_bytes_(limits.text_bytes) {}

  void write() {
    write_head();
    write_entries();
    write_steps();
    write_entry_sums();
    write_wall_times();
    write_forests();
    write_trees();
    write_texts();
  }

 private:
  void optional(const std::optional<int64_t>& value) {
    if (value) {
      json_.number(*value);
    } else {
      json_.null();
    }
  }
  template <class Values>
  void numbers(const char* key, const Values& values) {
    json_.key(key).open('[');
    for (const auto value : values) json_.number(static_cast<int64_t>(value));
    json_.close(']');
  }

  void write_head() {
    const trace::ModuleTrace& trace = view_.modules().trace;
    const trees::ViewOptions& how = view_.options();
    json_.key("subject").text(trees::cut_at_end(picture::tree_subject(trace), longest_value));
    json_.key("facts").open('[');
    for (const std::string& fact : picture::tree_facts(trace))
      json_.text(trees::cut_at_end(fact, longest_value));
    json_.close(']');
    json_.key("metric").text(trees::to_string(metric_));
    json_.key("dimension").text(how.dimension);
    json_.key("by_label").text(how.by_label ? how.dimension : "");
    json_.key("level").text(trees::to_string(how.level));
    json_.key("step_interval").number(how.step_interval);
    json_.key("merges").number(how.merge_siblings ? 1 : 0);
    json_.key("all_in_one").number(how.by_phase ? 0 : 1);
    json_.key("lost").number(view_.lost_ns());
    json_.key("all_steps").number(view_.steps().size());
    json_.key("context").open('[');
    for (size_t i = 0; i < trace.context.size() && i < max_context; ++i) {
      json_.open('[');
      json_.text(trees::cut_at_end(trace.context[i].key, longest_value));
      json_.text(trees::cut_at_end(trace.context[i].value, longest_value));
      json_.close(']');
    }
    json_.close(']');
  }

  void write_entries() {
    const std::vector<std::string> colors = picture::tree_colors(program_, view_);
    const std::vector<trees::ViewEntry>& entries = view_.entries();
    std::vector<std::string> names;
    names.reserve(data_.entries);
    for (uint32_t i = 0; i < data_.entries; ++i) names.push_back(entries[i].name);
    if (view_.options().short_names) names = text::cut_names(names, view_.options().width);
    json_.key("entries").open('[');
    for (uint32_t i = 0; i < data_.entries; ++i) {
      json_.open('[');
      json_.text(trees::with_count(names[i], entries[i].siblings));
      json_.text(colors[i]);
      json_.close(']');
    }
    json_.close(']');
    json_.key("others").number(data_.others ? 1 : 0);
  }

  void write_steps() {
    json_.key("phases").open('[');
    for (const std::string& phase : data_.phases) json_.text(trees::cut_at_end(phase, longest_key));
    json_.close(']');
    json_.key("steps").open('[');
    std::vector<trace::ModuleNode> nodes;
    std::vector<trees::ViewRow> rows;
    std::vector<int64_t> ns(data_.entries + 1, 0), calls(data_.entries + 1, 0);
    for (const size_t at : data_.bars) {
      const trees::ViewStep& step = view_.steps()[at];
      json_.open('[', true);
      json_.text(trees::cut_at_end(step.key, longest_key));
      json_.number(data_.phase_of[at]);
      optional(step.running_seqs);
      json_.number(step.total_ns);
      view_.rows(at, nodes, rows);
      for (const trees::ViewRow& row : rows) {
        const uint32_t entry = data_.page_entry(row.entry);
        ns[entry] += row.total_ns;
        calls[entry] = trees::bounded_sum(calls[entry], row.invocations);
      }
      json_.open('[');
      for (uint32_t entry = 0; entry < ns.size(); ++entry) {
        if (ns[entry] == 0 && calls[entry] == 0) continue;
        json_.number(entry);
        json_.number(ns[entry]);
        json_.number(calls[entry]);
        ns[entry] = calls[entry] = 0;
      }
      json_.close(']');
      optional(wall_of(step));
      json_.close(']');
    }
    json_.close(']');
  }

  std::optional<int64_t> wall_of(const trees::ViewStep& step) const {
    const std::vector<std::optional<int64_t>>& walls = view_.modules().wall_ns;
    return step.of[0] < walls.size() ? walls[step.of[0]] : std::nullopt;
  }

  /// By phase: the median, the 95th percentile and the largest of the wall times of its steps.
  void write_wall_times() {
    std::vector<std::vector<int64_t>> walls(data_.phases.size());
    for (size_t i = 0; i < data_.phase_of.size(); ++i) {
      if (const auto wall = wall_of(view_.steps()[i])) walls[data_.phase_of[i]].push_back(*wall);
    }
    json_.key("phase_walls").open('[');
    for (std::vector<int64_t>& of_phase : walls) {
      const auto wall = analyze::wall_times_of(std::move(of_phase));
      if (wall) {
        json_.open('[', true);
        json_.number(std::llround(wall->median_ns));
        json_.number(wall->p95_ns);
        json_.number(wall->max_ns);
        json_.close(']');
      } else {
        json_.null();
      }
    }
    json_.close(']');
  }

  void write_entry_sums() {
    numbers("phase_ns", data_.phase_ns);
    const size_t phases = data_.phases.size();
    std::vector<int64_t> steps(phases + 1, 0), least(phases + 1, INT64_MAX), most(phases + 1, 0);
    for (size_t i = 0; i < data_.phase_of.size(); ++i) {
      const int64_t ns = view_.steps()[i].total_ns;
      for (const size_t phase : {size_t{data_.phase_of[i]}, phases}) {
        ++steps[phase];
        least[phase] = std::min(least[phase], ns);
        most[phase] = std::max(most[phase], ns);
      }
    }
    numbers("phase_steps", steps);
    numbers("phase_least_ns", least);
    numbers("phase_most_ns", most);
    json_.key("entry_sums").open('[');
    for (const TreePageData::EntrySums& sums : data_.entry_sums) {
      json_.open('{', true);
      numbers("ns", sums.ns);
      numbers("calls", sums.calls);
      json_.close('}');
    }
    json_.close(']');
  }

  void write_forests() {
    json_.key("cut_depth");
    optional(data_.cut_in_depth ? std::optional(data_.deepest) : std::nullopt);
    json_.key("forests").open('[');
    for (const TreePageData::Forest* forest : {&data_.plain, &data_.merged}) {
      json_.open('{');
      write_places(forest->places);
      write_nodes("sums", forest->sums, true);
      write_nodes("shapes", forest->shapes, false);
      json_.close('}');
    }
    json_.close(']');
    numbers("merged_of", data_.merged_of);
  }

  void write_nodes(const char* key, const std::vector<TreePageData::Nodes>& all, bool times) {
    json_.key(key).open('[');
    for (const TreePageData::Nodes& nodes : all) {
      json_.open('{', true);
      numbers("places", nodes.places);
      if (times) numbers("ns", nodes.ns);
      numbers("calls", nodes.calls);
      numbers("counts", nodes.counts);
      json_.close('}');
    }
    json_.close(']');
  }

  void write_places(const std::vector<TreePageData::Place>& places) {
    const auto column = [&](const char* key, const auto& value) {
      json_.key(key).open('[');
      for (const TreePageData::Place& place : places) json_.number(value(place));
      json_.close(']');
    };
    column("parent", [](const auto& place) { return place.parent; });
    column("name", [&](const auto& place) { return texts_.add(place.name); });
    column("label", [&](const auto& place) {
      return place.label.empty() ? -1 : static_cast<int64_t>(texts_.add(place.label));
    });
    column("ordinal", [](const auto& place) { return place.ordinal; });
    column("number", [&](const auto& place) {
      return place.number.empty() ? -1 : static_cast<int64_t>(texts_.add(place.number));
    });
    column("entry", [](const auto& place) { return place.entry; });
  }

  void write_trees() {
    json_.key("tree_interval").number(data_.tree_interval);
    json_.key("trees").open('[');
    std::vector<trace::ModuleNode> nodes;
    size_t bar = 0;
    for (const TreePageData::Tree& tree : data_.trees) {
      while (data_.bars[bar] != tree.step) ++bar;
      view_.modules().trace.expand(view_.steps()[tree.step].of[0], nodes);
      json_.open('[', true);
      json_.number(bar);
      json_.number(tree.shape);
      for (const TreePageData::Forest* forest : {&data_.plain, &data_.merged}) {
        std::vector<int64_t> ns(forest->shapes[tree.shape].places.size());
        for (size_t i = 0; i < nodes.size(); ++i) {
          const int32_t slot = forest->slots[tree.shape][i];
          if (slot >= 0) ns[static_cast<size_t>(slot)] += nodes[i].total_ns;
        }
        json_.open('[');
        for (const int64_t one : ns) json_.number(one);
        json_.close(']');
      }
      json_.close(']');
    }
    json_.close(']');
  }

  /// Names and labels, cut where all together would be too many bytes; and how names are shown.
  void write_texts() {
    size_t bytes = 0;
    for (uint32_t i = 0; i < texts_.size(); ++i) bytes += texts_.text(i).size();
    const size_t most =
        bytes <= max_text_bytes_ ? bytes : std::max<size_t>(20, max_text_bytes_ / texts_.size());
    std::vector<std::string> texts;
    texts.reserve(texts_.size());
    for (uint32_t i = 0; i < texts_.size(); ++i) {
      texts.push_back(trees::cut_at_end(std::string(texts_.text(i)), most));
    }
    json_.key("texts").open('[');
    for (const std::string& text : texts) json_.text(text);
    json_.close(']');
    write_names(json_, {texts.begin(), texts.end()});
  }

  JsonWriter& json_;
  const sema::Program& program_;
  const trees::TreeView& view_;
  trees::Metric metric_;
  TreePageData data_;
  size_t max_text_bytes_;
  DistinctTexts texts_;
};

}  // namespace

std::string to_tree_html(const sema::Program& program, const trees::TreeView& view,
                         const trees::TreeRun& run, trees::Metric metric,
                         const TreePageLimits& limits, std::vector<table::Table> tables) {
  const trace::ModuleTrace& trace = view.modules().trace;
  tables::Source source;
  source.other_runs.push_back({run.id, trace.source, trace.format, run.engine, run.model,
                               view.modules().choice.why,
                               tables::notes_of(run.id, trace.dropped, "", trace.warnings)});
  tables.push_back(tables::make(*tables::find("runs"), source));
  tables.push_back(tables::make(*tables::find("notes"), source));
  const std::string title = "Module trees of " + run.id;
  return make_page(
      tree_page,
      {.title = title,
       .tables = tables,
       .more = [&](JsonWriter& json) { PageWriter(json, program, view, metric, limits).write(); },
       .more_has_names = true});
}

}  // namespace kr::page
