#include "changes/substitutions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "changes/alignment.hpp"
#include "coverage/name_parts.hpp"

namespace kr::changes {
namespace {

using analyze::Sequence;

constexpr double min_likeness = 0.5;
constexpr double min_position = 0.25;
constexpr double medium_position = 0.5;
constexpr double high_position = 0.8;
constexpr uint32_t min_places = 3;
constexpr double min_aligned = 0.5;
constexpr double max_different = 1.5;
/// Names of a side that are compared by likeness: those with most time.
constexpr size_t most_alike = 500;

/// A name of one side, with one label.
struct SideName {
  std::string name;
  OperationKind kind;
  std::string label;
  Amount amount = {};
  bool common = false;                  // the other side has it
  bool free = false;                    // the other side does not have it, and nothing replaces it
  std::vector<std::string> words = {};  // if only this side has it
  uint32_t places = 0;                  // in the sequences that were aligned

  friend bool operator<(const SideName& x, const SideName& y) {
    return std::tie(x.name, x.kind, x.label) < std::tie(y.name, y.kind, y.label);
  }
  bool same_work(const SideName& other) const { return kind == other.kind && label == other.label; }
};

using Numbers = std::vector<uint32_t>;  // of names of a side
using SequenceKey = std::pair<Sequence::Of, std::string>;

class Side {
 public:
  Side(std::span<const Profile> runs, std::string_view dimension) {
    std::map<SideName, uint32_t> known;
    std::map<SequenceKey, std::vector<Numbers>> sequences;
    for (const Profile& run : runs) {
      const auto at = std::find(run.dimensions.begin(), run.dimensions.end(), dimension);
      Numbers numbers;
      numbers.reserve(run.names.size());
      for (const NameTime& one : run.names) {
        SideName name{one.name, one.kind, {}};
        // A name alone has no label of order rules.
        if (const auto place = static_cast<size_t>(at - run.dimensions.begin());
            place < one.labels.size()) {
          name.label = one.labels[place];
        }
        const auto [found, added] = known.try_emplace(name, static_cast<uint32_t>(names.size()));
        if (added) names.push_back(std::move(name));
        names[found->second].amount += one.amount;
        numbers.push_back(found->second);
      }
      for (const Sequence& one : run.sequences) {
        Numbers& sequence = sequences[{one.of, one.phase}].emplace_back();
        sequence.reserve(one.names.size());
        for (const uint32_t place : one.names) sequence.push_back(numbers[place]);
      }
    }
    // Of several runs the sequence of median length.
    for (auto& [key, all] : sequences) {
      const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
      std::nth_element(all.begin(), middle, all.end(), [](const Numbers& x, const Numbers& y) {
        return x.size() != y.size() ? x.size() < y.size() : x < y;
      });
      typical.emplace(key, std::move(*middle));
    }
  }

  void find_own(const Side& other) {
    std::set<std::pair<std::string_view, OperationKind>> others;
    for (const SideName& one : other.names) others.emplace(one.name, one.kind);
    for (SideName& one : names) {
      one.common = others.contains({one.name, one.kind});
      // Copies and sets have the same names everywhere.
      one.free = one.kind == OperationKind::kernel && !one.common;
      if (one.free) one.words = coverage::likeness_words(one.name);
    }
  }

  Numbers common_with_places() const {
    Numbers found;
    found.reserve(names.size());
    for (uint32_t i = 0; i < names.size(); ++i) {
      if (names[i].common && names[i].places > 0) found.push_back(i);
    }
    return found;
  }

  /// The free ones with most time.
  Numbers largest_free(size_t most) const {
    Numbers found;
    found.reserve(names.size());
    for (uint32_t i = 0; i < names.size(); ++i) {
      if (names[i].free) found.push_back(i);
    }
    sort_by_time(found);
    found.resize(std::min(found.size(), most));
    return found;
  }

  void sort_by_time(Numbers& numbers) const {
    std::sort(numbers.begin(), numbers.end(), [&](uint32_t x, uint32_t y) {
      return std::tie(names[y].amount.total_ns, names[x]) <
             std::tie(names[x].amount.total_ns, names[y]);
    });
  }

  std::vector<SideName> names;
  std::map<SequenceKey, Numbers> typical;
};

/// Names that replace each other, by number on each side.
struct Group {
  Numbers a;
  Numbers b;
  uint32_t agreeing = 0;  // places
};

class Finder {
 public:
  Finder(std::span<const Profile> a, std::span<const Profile> b, std::string_view dimension)
      : a_(a, dimension), b_(b, dimension) {
    a_.find_own(b_);
    b_.find_own(a_);
  }

  std::vector<Substitution> find() {
    if (a_.largest_free(1).empty() || b_.largest_free(1).empty()) return {};
    align_typical();
    by_position();
    by_likeness();
    const auto time = [](const Substitution& one) {
      return std::max(one.time.a.total_ns, one.time.b.total_ns);
    };
    std::stable_sort(found_.begin(), found_.end(),
                     [&](const Substitution& x, const Substitution& y) {
                       return time(x) != time(y) ? time(x) > time(y) : x.a_names < y.a_names;
                     });
    return std::move(found_);
  }

 private:
  double likeness(uint32_t a, uint32_t b) const {
    return coverage::likeness(a_.names[a].words, b_.names[b].words);
  }

  /// Equal names meet before others do, and names of different labels never. Of names that only
  /// one side has, similar ones meet first.
  uint32_t score(uint32_t a, uint32_t b) const {
    const SideName& x = a_.names[a];
    const SideName& y = b_.names[b];
    if (x.kind == y.kind && x.name == y.name) return 5;
    if (!x.same_work(y)) return 0;
    if (!x.free || !y.free) return 1;
    return x.words == y.words ? 3 : 2;
  }

  /// Steps of the phases that both sides have, else layers, else the runs.
  void align_typical() {
    for (const auto& [key, sequence] : a_.typical) {
      const auto other = b_.typical.find(key);
      if (key.first == Sequence::Of::step && other != b_.typical.end()) {
        count(align(sequence, other->second));
      }
    }
    if (places_ == 0) align_best(Sequence::Of::layers);
    if (places_ == 0) align_best(Sequence::Of::run);
  }

  struct Aligned {
    const Numbers* a;
    const Numbers* b;
    Meetings met;
    size_t places = 0;    // that meet
    size_t agreeing = 0;  // of these, with equal names or with names that only one side has
    double share() const {
      return 2 * static_cast<double>(agreeing) / static_cast<double>(a->size() + b->size());
    }
  };

  Aligned align(const Numbers& a, const Numbers& b) const {
    Aligned aligned{&a, &b, meetings(a, b, [&](uint32_t x, uint32_t y) { return score(x, y); })};
    for (const auto& [pair, places] : aligned.met) {
      aligned.places += places;
      if (score(pair.first, pair.second) > 1) aligned.agreeing += places;
    }
    return aligned;
  }

  /// Nothing says which blocks are the same work: those that can be aligned best.
  void align_best(Sequence::Of of) {
    std::vector<Aligned> all;
    for (const auto& [key, sequence] : a_.typical) {
      for (const auto& [other_key, other] : b_.typical) {
        if (key.first == of && other_key.first == of) all.push_back(align(sequence, other));
      }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Aligned& x, const Aligned& y) { return x.share() > y.share(); });
    std::set<const Numbers*> taken;
    for (const Aligned& one : all) {
      if (taken.contains(one.a) || taken.contains(one.b)) continue;
      taken.insert({one.a, one.b});
      count(one);
    }
  }

  void count(const Aligned& aligned) {
    for (const uint32_t name : *aligned.a) ++a_.names[name].places;
    for (const uint32_t name : *aligned.b) ++b_.names[name].places;
    places_ += aligned.a->size() + aligned.b->size();
    aligned_ += 2 * aligned.places;
    for (const auto& [pair, places] : aligned.met) {
      if (a_.names[pair.first].free && b_.names[pair.second].free) met_[pair] += places;
    }
  }

  /// Names that share at least half of the places of one of them are in one group.
  std::vector<Group> groups() const {
    std::vector<size_t> parent(a_.names.size() + b_.names.size());
    std::iota(parent.begin(), parent.end(), size_t{0});
    const auto root = [&](size_t at) {
      while (parent[at] != at) at = parent[at] = parent[parent[at]];
      return at;
    };
    const auto share = [&](const auto& met) {
      const auto [x, y] = met.first;
      return 2 * met.second >= std::min(a_.names[x].places, b_.names[y].places);
    };
    for (const auto& met : met_) {
      if (share(met)) parent[root(met.first.first)] = root(a_.names.size() + met.first.second);
    }
    std::map<size_t, Group> by_root;
    for (const auto& met : met_) {
      if (!share(met)) continue;
      Group& group = by_root[root(met.first.first)];
      group.a.push_back(met.first.first);
      group.b.push_back(met.first.second);
      group.agreeing += met.second;
    }
    std::vector<Group> out;
    out.reserve(by_root.size());
    for (auto& [at, group] : by_root) {
      for (Numbers* names : {&group.a, &group.b}) {
        std::sort(names->begin(), names->end());
        names->erase(std::unique(names->begin(), names->end()), names->end());
      }
      out.push_back(std::move(group));
    }
    return out;
  }

  void by_position() {
    for (const Group& group : groups()) {
      uint32_t places = 0;
      for (const uint32_t name : group.a) places += a_.names[name].places;
      for (const uint32_t name : group.b) places += b_.names[name].places;
      const double position = 2.0 * group.agreeing / places;
      if (position < min_position) continue;
      Substitution& one = add(group);
      one.position = position;
      const bool known = group.agreeing >= min_places || one.likeness == 1;
      const auto aligned = static_cast<double>(aligned_) / static_cast<double>(places_);
      if (!known || aligned < min_aligned || !fits(group)) continue;
      if (position < medium_position) continue;
      one.confidence = position >= high_position ? Confidence::high : Confidence::medium;
    }
  }

  static double operations_per_place(const Side& side, const Numbers& numbers) {
    double operations = 0, places = 0;
    for (const uint32_t number : numbers) {
      operations += static_cast<double>(side.names[number].amount.instances);
      places += side.names[number].places;
    }
    return operations / places;
  }

  /// Whether the operations are as many as the places say, by those of common names. If not, names
  /// of the group do work that the sequences do not show, too, and others may do it on the other
  /// side.
  bool fits(const Group& group) const {
    const Numbers left = a_.common_with_places(), right = b_.common_with_places();
    if (left.empty() || right.empty()) return true;
    const double ratio = operations_per_place(b_, group.b) / operations_per_place(a_, group.a);
    const double common = operations_per_place(b_, right) / operations_per_place(a_, left);
    return std::abs(std::log(ratio / common)) < std::log(max_different);
  }

  /// Each with at most one other, the most similar first; of equally similar ones those of the more
  /// similar number of operations.
  void by_likeness() {
    struct Candidate {
      uint32_t a;
      uint32_t b;
      double likeness;
      double difference;
    };
    std::vector<Candidate> candidates;
    std::map<uint32_t, int> a_equal, b_equal;  // how many have the same words
    const auto calls = [](const SideName& one) {
      return std::log(static_cast<double>(std::max<int64_t>(one.amount.instances, 1)));
    };
    const Numbers left = a_.largest_free(most_alike), right = b_.largest_free(most_alike);
    for (const uint32_t i : left) {
      for (const uint32_t j : right) {
        const SideName& x = a_.names[i];
        const SideName& y = b_.names[j];
        // An alignment of both in which they do not meet is evidence against them.
        if (!x.same_work(y) || (x.places > 0 && y.places > 0)) continue;
        const double score = likeness(i, j);
        if (score < min_likeness) continue;
        a_equal[i] += score == 1;
        b_equal[j] += score == 1;
        candidates.push_back({i, j, score, std::abs(calls(x) - calls(y))});
      }
    }
    std::stable_sort(
        candidates.begin(), candidates.end(), [](const Candidate& x, const Candidate& y) {
          return x.likeness != y.likeness ? x.likeness > y.likeness : x.difference < y.difference;
        });
    for (const Candidate& one : candidates) {
      if (!a_.names[one.a].free || !b_.names[one.b].free) continue;
      const bool unknown = a_.names[one.a].places == 0 && b_.names[one.b].places == 0;
      const bool only = a_equal[one.a] == 1 && b_equal[one.b] == 1;
      Substitution& pair = add({{one.a}, {one.b}});
      if (one.likeness == 1 && unknown && only) pair.confidence = Confidence::medium;
    }
  }

  Substitution& add(Group group) {
    Substitution& one = found_.emplace_back();
    one.label = a_.names[group.a[0]].label;
    one.kind = a_.names[group.a[0]].kind;
    const auto fill = [](Side& side, Numbers& numbers, std::vector<std::string>& texts,
                         Amount& amount) {
      side.sort_by_time(numbers);
      texts.reserve(numbers.size());
      for (const uint32_t number : numbers) {
        SideName& name = side.names[number];
        name.free = false;
        texts.push_back(name.name);
        amount += name.amount;
      }
    };
    fill(a_, group.a, one.a_names, one.time.a);
    fill(b_, group.b, one.b_names, one.time.b);
    for (const uint32_t x : group.a) {
      for (const uint32_t y : group.b) one.likeness = std::max(one.likeness, likeness(x, y));
    }
    return one;
  }

  Side a_;
  Side b_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> met_;  // in how many places, by names
  size_t places_ = 0;                                      // of all sequences aligned
  size_t aligned_ = 0;                                     // those that meet another
  std::vector<Substitution> found_;
};

}  // namespace

std::string_view to_string(Confidence confidence) noexcept {
  constexpr std::array<std::string_view, 3> texts{"low", "medium", "high"};
  return texts[static_cast<size_t>(confidence)];
}

std::vector<Substitution> find_substitutions(std::span<const Profile> a, std::span<const Profile> b,
                                             std::string_view dimension) {
  return Finder(a, b, dimension).find();
}

}  // namespace kr::changes
