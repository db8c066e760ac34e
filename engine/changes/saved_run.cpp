#include "changes/saved_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "base/sqlite.hpp"
#include "kr/render.hpp"

namespace kr::changes {
namespace {

using sqlite::Statement;

constexpr std::array<std::string_view, 11> tables{
    "runs",  "notes",       "labels", "devices",      "kernels",  "phases",
    "steps", "step_labels", "layers", "phase_labels", "sequences"};

/// Steps of phases, layers, and the run.
constexpr size_t most_sequences = analyze::Sequence::most_phases + 2;

class SavedRuns {
 public:
  explicit SavedRuns(const std::string& path)
      : path_(path), database_(sqlite::Database::read(path)) {
    check_version();
  }

  std::vector<Profile> read() {
    std::vector<std::pair<std::string, Profile>> runs;
    Statement rows = database_.prepare(
        "SELECT run, operations, gpu_total_ns, gpu_elapsed_ns FROM runs ORDER BY rowid");
    while (rows.step()) {
      auto& [id, profile] = runs.emplace_back(rows.text(0), Profile{});
      profile.all = {amount(rows, 1), amount(rows, 2)};
      profile.elapsed_ns = amount(rows, 3);
      if (profile.elapsed_ns > profile.all.total_ns) refuse("does not add up");
    }
    if (runs.empty()) refuse("has no runs");
    std::vector<Profile> profiles;
    for (auto& [id, profile] : runs) {
      profile.run = runs.size() == 1 ? path_ : fmt::format("{} ({})", path_, id);
      read_names(id, profile);
      // A trace without a host trace has no steps, and few have layers.
      if (has("steps") && has("step_labels")) read_steps(id, profile);
      if (has("layers")) read_layers(id, profile);
      if (has("sequences")) read_sequences(id, profile);
      profiles.push_back(std::move(profile));
    }
    return profiles;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(path_, why, "save the run again with `kr report RUN --save FILE.krun`");
  }

  /// A count or a time: what kr saves is neither negative nor longer than 73 years.
  int64_t amount(const Statement& row, int column) const {
    const int64_t number = row.integer(column);
    if (number < 0 || number > int64_t{1} << 61) refuse("has a count or time that cannot be");
    return number;
  }

  void check_version() {
    const auto number = [&](const char* pragma) {
      Statement row = database_.prepare(pragma);
      return row.step() ? row.integer(0) : 0;
    };
    if (number("PRAGMA application_id") != render::sqlite_application_id) {
      refuse("is not a saved run");
    }
    const int64_t version = number("PRAGMA user_version");
    if (version != render::schema_version) {
      refuse(
          fmt::format("was saved by another version of kr: its tables have version {}, those of "
                      "this program {}",
                      version, render::schema_version));
    }
    for (const char* table : {"runs", "labels", "kernels"}) {
      if (!has(table)) refuse(fmt::format("has no table `{}`", table));
    }
  }

  bool has(std::string_view table) const {
    return database_.can_prepare(fmt::format("SELECT 1 FROM {}", sqlite::quoted(table)));
  }

  Statement of_run(const std::string& sql, const std::string& run) const {
    Statement rows = database_.prepare(sql);
    rows.bind(1, run);
    return rows;
  }

  void read_names(const std::string& run, Profile& profile) {
    Statement dimensions = of_run(
        "SELECT dimension FROM labels WHERE run = ?1 GROUP BY dimension ORDER BY min(rowid)", run);
    while (dimensions.step()) profile.dimensions.emplace_back(dimensions.text(0));
    std::string sql = "SELECT name, type, instances, total_ns";
    for (const std::string& dimension : profile.dimensions) {
      const std::string other = dimension + "_label";  // where a fixed column has the name
      const bool clash = database_.can_prepare(
          fmt::format("SELECT kernels.{} FROM kernels", sqlite::quoted(other)));
      sql += ", kernels." + sqlite::quoted(clash ? other : dimension);
    }
    Amount sum;
    Statement rows = of_run(sql + " FROM kernels WHERE run = ?1 ORDER BY rowid", run);
    while (rows.step()) {
      NameTime& name = profile.names.emplace_back();
      name.name = rows.text(0);
      name.kind = operation_kind_from(rows.text(1)).value_or(OperationKind::kernel);
      name.amount = {amount(rows, 2), amount(rows, 3)};
      for (size_t i = 0; i < profile.dimensions.size(); ++i) {
        name.labels.emplace_back(rows.text(static_cast<int>(4 + i)));
      }
      sum += name.amount;
    }
    if (sum.instances != profile.all.instances || sum.total_ns != profile.all.total_ns) {
      refuse("does not add up");
    }
  }

  void read_layers(const std::string& run, Profile& profile) {
    Statement layers = of_run("SELECT repeats FROM layers WHERE run = ?1 AND level = 0", run);
    while (layers.step()) profile.layers += std::min<int64_t>(amount(layers, 0), INT32_MAX);
  }

  void read_sequences(const std::string& run, Profile& profile) {
    using analyze::Sequence;
    Statement rows = of_run(
        "SELECT part, coalesce(phase, ''), kernel FROM sequences WHERE run = ?1 ORDER BY rowid",
        run);
    while (rows.step()) {
      const auto of = analyze::sequence_part_from(rows.text(0));
      const std::string phase(rows.text(1));
      const int64_t name = rows.integer(2);
      if (!of || name < 0 || static_cast<size_t>(name) >= profile.names.size()) {
        refuse("has a sequence of names that it does not have");
      }
      auto& all = profile.sequences;
      if (all.empty() || all.back().of != *of || all.back().phase != phase) {
        all.push_back({*of, phase, {}});
      }
      if (all.back().names.size() == Sequence::most_places || all.size() > most_sequences) {
        refuse("has sequences that are too long");
      }
      all.back().names.push_back(static_cast<uint32_t>(name));
    }
  }

  void read_steps(const std::string& run, Profile& profile) {
    struct Step {
      std::optional<int64_t> outer;
      std::string phase;
    };
    std::map<int64_t, Step> known;
    std::map<int64_t, size_t> places;  // of steps that count, in the profile
    // Steps of a phase have no time in common, nor do labels of a step.
    std::map<std::string, int64_t> left;                           // by phase
    std::map<std::pair<size_t, ptrdiff_t>, int64_t> left_of_step;  // by step and dimension
    // An enclosing step begins before those inside it, so it is known when they come.
    Statement rows = of_run(
        "SELECT step_id, outer_step_id, phase, instances, total_ns FROM steps WHERE run = ?1 "
        "ORDER BY step_id",
        run);
    while (rows.step()) {
      Step step{{}, std::string(rows.text(2))};
      if (!rows.is_null(1)) step.outer = rows.integer(1);
      const int64_t id = rows.integer(0);
      bool inside = false;
      for (auto at = step.outer; at && *at < id; to_outer(known, at)) {
        inside |= known.contains(*at) && known.at(*at).phase == step.phase;
      }
      if (rows.integer(3) != 0 && !inside) {
        places.emplace(id, profile.steps.size());
        profile.steps.push_back({step.phase, amount(rows, 4), {}});
        take_from(left.try_emplace(step.phase, profile.all.total_ns).first->second,
                  profile.steps.back().total_ns);
      }
      known.emplace(id, std::move(step));
    }
    Statement labels = of_run(
        "SELECT step_id, dimension, label, total_ns FROM step_labels WHERE run = ?1 ORDER BY rowid",
        run);
    while (labels.step()) {
      const auto at = places.find(labels.integer(0));
      const auto dimension = std::ranges::find(profile.dimensions, labels.text(1));
      if (at == places.end() || dimension == profile.dimensions.end()) continue;
      const auto key = std::pair(at->second, dimension - profile.dimensions.begin());
      take_from(left_of_step.try_emplace(key, profile.steps[at->second].total_ns).first->second,
                amount(labels, 3));
      profile.steps[at->second].labels.push_back(
          {static_cast<size_t>(dimension - profile.dimensions.begin()), std::string(labels.text(2)),
           labels.integer(3)});
    }
  }

  void take_from(int64_t& left, int64_t ns) const {
    if (ns > left) refuse("does not add up");
    left -= ns;
  }

  /// From a step to the one that encloses it; an earlier one, so that a damaged file ends.
  template <class Steps>
  static void to_outer(const Steps& known, std::optional<int64_t>& at) {
    const auto found = known.find(*at);
    const auto next = found == known.end() ? std::nullopt : found->second.outer;
    at = next && *next < *at ? next : std::nullopt;
  }

  std::string path_;
  sqlite::Database database_;
};

}  // namespace

std::span<const std::string_view> saved_tables() {
  return tables;
}

bool names_saved_run(std::string_view path) {
  return path.ends_with(".krun");
}

std::vector<Profile> read_saved_runs(const std::string& path) {
  return SavedRuns(path).read();
}

}  // namespace kr::changes
