// Runs that `kr report --save` or `kr tree --save` kept: a database of their tables, without
// operations, with a checksum at its end (base/checksum.hpp).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/streams.hpp"
#include "changes/profile.hpp"
#include "job/member.hpp"
#include "kr/render.hpp"

namespace kr::changes {

/// Of a saved run, as its `user_version`: grows when what is saved changes. Those of another
/// version are not read.
inline constexpr int saved_version = render::schema_version * 1000 + 3;

/// The tables of runs of operations, and of one run of module trees: those that a comparison reads,
/// and those that a person reads first.
std::span<const std::string_view> saved_tables();
std::span<const std::string_view> saved_tree_tables();
/// At which module trees are saved: kernel, module and layer.
std::span<const trees::Level> saved_levels();

/// Whether the path is one of a saved run: it ends in `.krun`.
bool names_saved_run(std::string_view path);

struct SavedRun {
  /// A run of module trees: of its summary there are the id, source, format, engine, model and
  /// notes, and its nodes are in `levels`.
  bool module_trees = false;
  /// Its source is the path, with the id of the run where there are several. `NameSum::explained`
  /// is not known. The id lacks the number that makes it unique.
  analyze::RunSummary summary;
  std::optional<analyze::RunIdentity> identity;
  Profile profile;
  // Of a run of operations.
  analyze::StepSums steps;
  analyze::StreamUses streams;
  std::vector<job::Member> members;
  std::vector<std::pair<trees::Level, std::vector<NameTime>>> levels;

  /// Throws Error if they were not saved at this level.
  const std::vector<NameTime>& nodes(trees::Level level) const;
};

/// Whether the file has module trees. Throws Error as below.
bool saves_module_trees(const std::string& path);

/// The runs in the file, in its order. Throws Error: it is not such a file, or of another version,
/// or damaged, or its numbers do not add up.
std::vector<SavedRun> read_saved_runs(const std::string& path);

}  // namespace kr::changes
