// Runs from their files to tables. A session opens each file once, labels and sums it, and keeps of
// it what the tables asked for need: the operations of a run are gone before the next is opened,
// unless a table is about them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "classify/run_spec.hpp"
#include "tables/registry.hpp"

namespace kr::session {

/// What is to be known of each run.
struct Wants {
  bool statistics = false;
  bool host_trace = false;  // calls and ranges of the host, where the format has them
  bool operations = false;  // kept until the session ends

  /// What these tables need.
  static Wants of(std::span<const tables::Definition* const> wanted);
  void add(const Wants& other) noexcept;
};

class Session {
 public:
  /// Called before a run is read. What it returns lives until the run is read: whoever shows
  /// progress. May be empty.
  using Watch = std::function<std::shared_ptr<void>(const classify::RunSpec&, trace::Progress&)>;
  /// Called for each run as long as its operations are there. May be empty.
  using Visit =
      std::function<void(const analyze::LabelledTrace&, const analyze::RunSummary&, size_t index)>;

  /// `rules` has to outlive the session.
  explicit Session(const match::CompiledRules& rules);

  /// Reads, labels and sums these runs, behind those that were read before. Throws Error.
  void read(std::span<const classify::RunSpec> specs, const trace::OpenOptions& open,
            const Wants& wants, const Watch& watch, const Visit& visit);

  /// For what else tables are made from, and the runs read.
  tables::Source& source() noexcept { return source_; }
  const tables::Source& source() const noexcept { return source_; }

 private:
  tables::Source source_;
};

}  // namespace kr::session
