#include <algorithm>
#include <map>

#include "page/page_data.hpp"
#include "page/pages.hpp"
#include "picture/label_styles.hpp"
#include "tables/definition.hpp"

namespace kr::page {
namespace {

/// Labels with their own part in the bars of phases and steps; the rest is one part, `others`.
constexpr size_t most_series = 20;

/// Bars of phases or steps by label: what is added up over all of them.
class Stacks {
 public:
  /// One more bar.
  void add(const analyze::LabelParts& parts) {
    ++bars_;
    for (const auto& [dimension, labels] : parts) {
      Stack& stack = stacks_[dimension];
      for (const analyze::LabelPart& part : labels) {
        stack.totals[part.label] += part.total_ns;
        stack.parts.push_back({bars_ - 1, &part});
      }
    }
  }

  /// By dimension: labels, the largest first, then what is left of each bar for `others`.
  void write(JsonWriter& json) const {
    json.open('{');
    for (const auto& [dimension, stack] : stacks_) {
      json.key(dimension);
      write_stack(json, stack);
    }
    json.close('}');
  }

 private:
  struct Part {
    size_t bar;
    const analyze::LabelPart* label;
  };
  struct Stack {
    std::map<std::string_view, int64_t> totals;
    std::vector<Part> parts;
  };

  void write_stack(JsonWriter& json, const Stack& stack) const {
    std::vector<std::pair<std::string_view, int64_t>> labels(stack.totals.begin(),
                                                             stack.totals.end());
    std::stable_sort(labels.begin(), labels.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    int64_t whole_ns = 0, others_ns = 0;
    for (const auto& label : labels) whole_ns += label.second;
    std::map<std::string_view, bool> shown;
    const auto series = [&](std::string_view label, int64_t total_ns) {
      json.open('{', true);
      json.key("label").text(label);
      json.key("total_ns").number(total_ns);
      json.key("share").number(tables::ratio_of(total_ns, whole_ns));
      json.close('}');
    };
    json.open('{');
    json.key("labels").open('[');
    for (size_t i = 0; i < labels.size(); ++i) {
      shown[labels[i].first] = i < most_series;
      if (i < most_series) {
        series(labels[i].first, labels[i].second);
      } else {
        others_ns += labels[i].second;
      }
    }
    if (labels.size() > most_series) series("others", others_ns);
    json.close(']');
    json.key("others").open('[');
    if (labels.size() > most_series) {
      std::vector<int64_t> others(bars_);
      for (const Part& part : stack.parts) {
        if (!shown[part.label->label]) others[part.bar] += part.label->total_ns;
      }
      for (const int64_t ns : others) json.number(ns);
    }
    json.close(']');
    json.close('}');
  }

  size_t bars_ = 0;
  std::map<std::string_view, Stack> stacks_;
};

/// Of the phases of all runs, and of the steps of each run.
void write_stacks(JsonWriter& json, const tables::Source& source) {
  Stacks phases;
  json.key("steps").open('[');
  for (const tables::Run& run : source.runs) {
    for (const analyze::PhasePart& phase : run.statistics->steps.phases) phases.add(phase.labels);
    Stacks steps;
    for (const analyze::StepPart& step : run.statistics->steps.steps) steps.add(step.labels);
    steps.write(json);
  }
  json.close(']');
  json.key("phases");
  phases.write(json);
}

}  // namespace

std::string analysis_html(const tables::Source& source, std::span<const table::Table> tables,
                          std::string_view title) {
  return make_page(analysis_page,
                   {.title = title, .tables = tables, .more = [&](JsonWriter& json) {
                      write_styles(
                          json, picture::label_styles(source.rules->program(), source.summaries()));
                      write_tiles(json, analysis_tiles(source));
                      write_stacks(json, source);
                    }});
}

}  // namespace kr::page
