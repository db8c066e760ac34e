// What a session keeps.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "align/reference.hpp"
#include "changes/tree_times.hpp"
#include "coverage/suggest.hpp"
#include "session/session.hpp"
#include "tables/difference.hpp"
#include "tables/explanation.hpp"
#include "tables/tree.hpp"
#include "trees/view.hpp"
#include "what_if/change.hpp"

namespace kr::session {

struct Session::State {
  tables::Source source;
  trace::OpenOptions open;
  ProgressCall progress;
  std::vector<std::pair<std::string, Warning>> warnings;
  std::vector<size_t> runs_of_file;
  std::vector<std::string> references;
  std::map<std::pair<std::vector<std::string>, bool>, std::unique_ptr<align::References>>
      known_references;
  std::map<std::string, std::string> names_of_saved;  // by path
  std::vector<std::string> ncu_paths;
  std::shared_ptr<const trace::Trace> ncu_pages;  // null: there are none
  const ncu::GpuPeaks* gpu = nullptr;
  std::shared_ptr<const ncu::GpuPeaks> measured_peaks;  // null: none
  std::vector<Warning> peaks_warnings;                  // about these
  facts::Set also;                                      // in demand of all runs
  /// Of runs of more operations, labels from neighbours are not looked for.
  size_t max_ordered = 500'000;
  std::vector<what_if::Change> changes;
  /// Runs to be replayed with the changes when all are read.
  struct Unreplayed {
    size_t run;  // in Source::runs
    std::shared_ptr<const analyze::LabelledTrace> trace;
  };
  std::vector<Unreplayed> unreplayed;
  /// By run; null for a saved one.
  std::vector<std::shared_ptr<const trees::LabelledModules>> modules;
  std::map<size_t, std::shared_ptr<const changes::TreeTimes>> saved_trees;  // by run
  std::optional<sema::DimensionId> dimension;                               // of `measured`
  std::vector<coverage::MeasuredRun> measured;
  // What `source` refers to.
  std::optional<coverage::TimeCoverage> coverage;
  std::optional<trees::TreeView> view;
  std::optional<tables::Tree> tree;
  std::optional<tables::RunPair> pair;
  std::optional<tables::RulesDifference> rules_difference;
  std::optional<tables::Explanation> explanation;

  bool changes_need_roof() const;
};

}  // namespace kr::session
