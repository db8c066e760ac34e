// What tables know of one run.
#pragma once

#include <string>
#include <vector>

#include "analyze/summary.hpp"
#include "facts/fact.hpp"
#include "tables/note.hpp"

namespace kr::tables {

/// A run that was summed, with its facts. A copy shares these.
struct Run {
  analyze::RunSummary summary;
  facts::Facts facts;

  /// Null: it was not computed, or the run cannot have it.
  template <class Fact>
  const Fact* find() const noexcept {
    return facts.find<Fact>();
  }
  /// It is there.
  template <class Fact>
  const Fact& get() const {
    return facts.get<Fact>();
  }
};

/// A job that others are compared with: its runs are its ranks.
struct Baseline {
  std::string name;
  std::vector<Run> runs;
};

/// What was read and by which rules, of runs that are not in Source::runs.
struct RunHead {
  std::string run;
  std::string source;
  std::string format;
  std::string engine;
  std::string model;
  std::string why;
  std::vector<Note> notes = {};
};

}  // namespace kr::tables
