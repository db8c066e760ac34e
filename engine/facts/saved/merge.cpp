#include "saved/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "saved/codec.hpp"

namespace kr::saved {
namespace {

/// A run of a part.
struct MergedRun {
  size_t part = 0;
  size_t place = 0;  // in the part
  std::string id;
  int64_t rank = 0;  // those without one come last
  analyze::RunIdentity identity;

  auto key() const { return std::tie(rank, identity.operations); }
};

class Merger {
 public:
  explicit Merger(std::span<const std::string> paths) : paths_(paths) {
    for (size_t part = 0; part < paths.size(); ++part) {
      const size_t before = runs_.size();
      add_part(part);
      // Its runs may have those of other parts between them.
      if (runs_.size() - before > 1 && kept_.size() < max_kept) {
        kept_.emplace(part, std::move(*open_));
        open_.reset();
      }
    }
    std::sort(runs_.begin(), runs_.end(),
              [](const MergedRun& a, const MergedRun& b) { return a.key() < b.key(); });
    check_runs();
  }

  size_t write(Writer& out) {
    for (size_t place = 0; place < runs_.size(); ++place) {
      const MergedRun& run = runs_[place];
      SavedRun one = open(run.part).read(run.place, saved_facts());
      const size_t end = run.id.find_last_not_of("0123456789");
      one.summary.id =
          fmt::format("{}{}", run.id.substr(0, end == run.id.npos ? 0 : end + 1), place);
      out.add(one.summary, one.facts);
    }
    return runs_.size();
  }

 private:
  /// Few are open: there may be more parts than files may be.
  Reader& open(size_t part) {
    if (const auto at = kept_.find(part); at != kept_.end()) return at->second;
    if (!open_ || open_->path() != paths_[part]) open_.emplace(paths_[part]);
    return *open_;
  }

  void add_part(size_t part) {
    Reader& reader = open(part);
    if (reader.has_module_trees()) {
      throw Error(paths_[part], "is a saved run of module trees",
                  "merge what `kr report --save` wrote");
    }
    for (size_t place = 0; place < reader.runs(); ++place) {
      const SavedRun run = reader.read(place, facts::Set::of<analyze::RunIdentity>());
      const auto* const identity = run.facts.find<analyze::RunIdentity>();
      if (identity == nullptr) reader.refuse("does not contain the identity of runs");
      runs_.push_back(
          {part, place, run.summary.id, run.summary.distributed.rank.value_or(no_rank), *identity});
    }
  }

  void check_runs() const {
    std::map<std::string_view, const MergedRun*> known;
    for (const MergedRun& run : runs_) {
      const MergedRun& first = runs_.front();
      if (run.identity.rules != first.identity.rules) {
        throw Error(paths_[run.part],
                    fmt::format("was labelled by other rules than {}", paths_[first.part]),
                    "save both with the same rules");
      }
      const auto [at, added] = known.try_emplace(run.identity.operations, &run);
      if (added) continue;
      throw Error(paths_[run.part],
                  fmt::format("contains the same run as {}: {} and {}", paths_[at->second->part],
                              run.id, at->second->id),
                  "merge each run once");
    }
  }

  static constexpr int64_t no_rank = std::numeric_limits<int64_t>::max();
  static constexpr size_t max_kept = 64;

  std::span<const std::string> paths_;
  std::map<size_t, Reader> kept_;  // of several runs
  std::optional<Reader> open_;     // the last of the others
  std::vector<MergedRun> runs_;
};

}  // namespace

size_t merge(std::span<const std::string> parts, const std::string& location,
             const std::string& path) {
  Merger merger(parts);
  Writer out(location, path);
  const size_t runs = merger.write(out);
  out.finish();
  return runs;
}

}  // namespace kr::saved
