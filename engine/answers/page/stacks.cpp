#include <algorithm>
#include <map>
#include <set>

#include "analyze/steps.hpp"
#include "page/page_data.hpp"
#include "tables/registry.hpp"

namespace kr::page {
namespace {

/// Labels with their own part in the bars of phases and steps; the rest is one part, `others`.
constexpr size_t max_series = 20;

/// Bars by label. By dimension: labels, the largest first, then what is left of each bar for
/// `others`. `each_bar` calls its argument with each.
template <class EachBar>
void write_bars(JsonWriter& json, const EachBar& each_bar) {
  std::map<std::string, std::map<std::string, int64_t>> totals;
  each_bar([&](const analyze::LabelParts& bar) {
    for (const auto& [dimension, parts] : bar) {
      for (const analyze::LabelPart& part : parts) totals[dimension][part.label] += part.total_ns;
    }
  });
  json.open('{');
  for (const auto& [dimension, total_of] : totals) {
    std::vector<std::pair<std::string_view, int64_t>> labels(total_of.begin(), total_of.end());
    std::stable_sort(labels.begin(), labels.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    int64_t whole_ns = 0;
    for (const auto& label : labels) whole_ns += label.second;
    std::set<std::string_view> rest;
    if (labels.size() > max_series) {
      int64_t rest_ns = 0;
      for (size_t i = max_series; i < labels.size(); ++i) {
        rest.insert(labels[i].first);
        rest_ns += labels[i].second;
      }
      labels.resize(max_series);
      labels.emplace_back("others", rest_ns);
    }
    json.key(dimension).open('{');
    json.key("labels").open('[');
    for (const auto& [label, total_ns] : labels) {
      json.open('{', true);
      json.key("label").text(label);
      json.key("total_ns").number(total_ns);
      json.key("share").number(tables::ratio_of(total_ns, whole_ns));
      json.close('}');
    }
    json.close(']');
    json.key("others").open('[');
    const auto write_others = [&, name = &dimension](const analyze::LabelParts& bar) {
      int64_t ns = 0;
      for (const auto& [of, parts] : bar) {
        if (of != *name) continue;
        for (const analyze::LabelPart& part : parts)
          ns += rest.contains(part.label) ? part.total_ns : 0;
      }
      json.number(ns);
    };
    if (!rest.empty()) each_bar(write_others);
    json.close(']');
    json.close('}');
  }
  json.close('}');
}

}  // namespace

void write_stacks(JsonWriter& json, const tables::Source& source) {
  json.key("steps").open('[');
  for (const tables::Run& run : source.runs) {
    const analyze::StepSums* const of_run = run.find<analyze::StepSums>();
    write_bars(json, [&](const auto& bar) {
      for (size_t i = 0; of_run && i < of_run->steps.size(); ++i) bar(of_run->steps.labels(i));
    });
  }
  json.close(']');
  json.key("phases");
  write_bars(json, [&](const auto& bar) {
    for (const tables::Run& run : source.runs) {
      const analyze::StepSums* const of_run = run.find<analyze::StepSums>();
      if (of_run == nullptr) continue;
      for (const analyze::PhasePart& phase : of_run->phases) bar(phase.labels);
    }
  });
}

}  // namespace kr::page
