// Saved runs of module trees.
#include <algorithm>
#include <array>
#include <optional>

#include "changes/saved_tables.hpp"

namespace kr::changes {
namespace {

using sqlite::Statement;

constexpr std::array<trees::Level, 3> levels{trees::Level{trees::Level::Kind::kernel, 0},
                                             trees::Level{trees::Level::Kind::module, 0},
                                             trees::Level{trees::Level::Kind::layer, 0}};

class TreesReader {
 public:
  explicit TreesReader(const SavedTables& tables) : tables_(tables) {}

  void read(const std::string& run, SavedRun& saved) {
    Profile& profile = saved.profile;
    profile.run = saved.summary.source;
    profile.names = read_amounts(
        tables_.of_run(
            "SELECT name, invocations, total_ns FROM tree_kernels WHERE run = ?1 ORDER BY rowid",
            run),
        profile.all);
    for (const trees::Level level : levels) {
      Statement rows = tables_.of_run(
          "SELECT path, invocations, total_ns FROM tree_sums WHERE run = ?1 AND level = ?2 ORDER "
          "BY rowid",
          run);
      const std::string text = trees::to_string(level);
      rows.bind(2, text);
      Amount sum;
      saved.levels.emplace_back(level, read_amounts(std::move(rows), sum));
      tables_.check(sum.total_ns == profile.all.total_ns);
    }
    profile.elapsed_ns = profile.all.total_ns;
    read_tree_labels(run, profile);
    read_tree_steps(run, profile);
    tables_.read_sequences("tree_sequences", run, profile);
  }

 private:
  std::vector<NameTime> read_amounts(Statement rows, Amount& sum) const {
    std::vector<NameTime> names;
    while (rows.step()) {
      names.push_back(
          {std::string(rows.text(0)), {}, {}, {tables_.amount(rows, 1), tables_.amount(rows, 2)}});
      sum += names.back().amount;
    }
    return names;
  }

  static size_t dimension_of(std::string_view dimension, Profile& profile) {
    const auto known = std::ranges::find(profile.dimensions, dimension);
    const auto place = static_cast<size_t>(known - profile.dimensions.begin());
    if (known == profile.dimensions.end()) profile.dimensions.emplace_back(dimension);
    return place;
  }

  void read_tree_labels(const std::string& run, Profile& profile) {
    Statement rows = tables_.of_run(
        "SELECT kernel, dimension, label FROM tree_labels WHERE run = ?1 ORDER BY rowid", run);
    while (rows.step()) {
      const int64_t kernel = rows.integer(0);
      tables_.check(kernel >= 0 && static_cast<size_t>(kernel) < profile.names.size());
      const size_t dimension = dimension_of(rows.text(1), profile);
      std::vector<std::string>& labels = profile.names[static_cast<size_t>(kernel)].labels;
      tables_.check(labels.size() ==
                    dimension);  // each kernel has the dimensions in the same order
      labels.emplace_back(rows.text(2));
    }
    for (const NameTime& name : profile.names) {
      tables_.check(name.labels.size() == profile.dimensions.size());
    }
  }

  void read_tree_steps(const std::string& run, Profile& profile) {
    Statement rows = tables_.of_run(
        "SELECT step_id, phase, dimension, label, total_ns FROM tree_step_labels WHERE run = ?1 "
        "ORDER BY rowid",
        run);
    std::optional<int64_t> id;
    int64_t left = profile.all.total_ns;
    while (rows.step()) {
      if (rows.integer(0) != id) {
        id = rows.integer(0);
        profile.steps.push_back({std::string(rows.text(1)), 0, {}});
      }
      StepTime& step = profile.steps.back();
      const auto dimension = std::ranges::find(profile.dimensions, rows.text(2));
      tables_.check(dimension != profile.dimensions.end());
      const LabelTime label{static_cast<size_t>(dimension - profile.dimensions.begin()),
                            std::string(rows.text(3)), tables_.amount(rows, 4)};
      // The labels of each dimension are the whole step.
      if (label.dimension == 0) {
        tables_.take_from(left, label.total_ns);
        step.total_ns += label.total_ns;
      }
      tables_.check(label.total_ns <= profile.all.total_ns);
      step.labels.push_back(label);
    }
    for (const StepTime& step : profile.steps) {
      std::vector<int64_t> rest(profile.dimensions.size(), step.total_ns);
      for (const LabelTime& label : step.labels)
        tables_.take_from(rest[label.dimension], label.total_ns);
      tables_.check(std::ranges::all_of(rest, [](int64_t ns) { return ns == 0; }));
    }
  }

  const SavedTables& tables_;
};

}  // namespace

std::span<const trees::Level> saved_levels() {
  return levels;
}

void read_saved_trees(const SavedTables& tables, const std::string& run, SavedRun& saved) {
  TreesReader(tables).read(run, saved);
}

}  // namespace kr::changes
