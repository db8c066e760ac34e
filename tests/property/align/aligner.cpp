// Random sequences with planted deletions, insertions and substitutions against an exhaustive
// aligner, which lists all best alignments one by one and compares texts.
#include "align/aligner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "support/rounds.hpp"

namespace {

using kr::align::Agreement;
using kr::align::Calls;
using kr::align::Item;
using kr::align::Placed;
using kr::align::Sequence;
using Path = std::vector<std::string>;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  size_t below(size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(engine_); }

 private:
  std::mt19937 engine_;
};

/// A reference, and what of it the exhaustive aligner needs.
struct Model {
  Calls calls;
  std::vector<Sequence> reference;

  Path path(uint32_t call) const {
    Path path;
    for (const uint32_t one : calls.chain(call)) path.emplace_back(calls.text(calls[one].name));
    return path;
  }
};

Path kinds(Path path) {
  for (std::string& name : path) name = name.substr(0, name.find('_'));
  return path;
}

/// Layers as engines write them: modules that are called one after another, with few names.
void add_sequence(Random& random, Model& model, size_t length) {
  Sequence& sequence = model.reference.emplace_back();
  std::vector<uint32_t> open{Calls::none};
  if (random.below(4) != 0) open.push_back(model.calls.add(Calls::none, "Model_0"));
  const size_t kinds = 1 + random.below(3);
  size_t number = 0;
  while (sequence.names.size() < length) {
    switch (random.below(4)) {
      case 0: {
        if (open.size() > 3) break;
        const std::string kind(1, static_cast<char>('A' + random.below(kinds)));
        const std::string suffix = std::to_string(random.below(2) == 0 ? 0 : number++);
        open.push_back(model.calls.add(open.back(), kind + "_" + suffix));
        break;
      }
      case 1:
        if (open.size() > 1) open.pop_back();
        break;
      default:
        sequence.names.push_back(static_cast<uint32_t>(random.below(4)));
        sequence.items.push_back({open.back(), static_cast<uint32_t>(random.below(8) == 0)});
    }
  }
}

/// The same module several times, each with all names.
void add_layers(Random& random, Model& model) {
  Sequence& sequence = model.reference.emplace_back();
  std::vector<uint32_t> pattern(1 + random.below(3));
  for (uint32_t& name : pattern) name = static_cast<uint32_t>(random.below(4));
  const uint32_t root = model.calls.add(Calls::none, "Model_0");
  const size_t layers = 2 + random.below(3);
  for (size_t layer = 0; layer < layers; ++layer) {
    const uint32_t call = model.calls.add(root, "Layer_" + std::to_string(layer));
    for (const uint32_t name : pattern) {
      sequence.names.push_back(name);
      sequence.items.push_back({call, 0});
    }
  }
}

/// Few ops, so that alignments often agree on them; some sequences do not know theirs.
void add_ops(Random& random, Sequence& sequence) {
  if (random.below(4) == 0) return;
  for (size_t i = 0; i < sequence.names.size(); ++i) {
    const bool unsure = random.below(20) == 0;
    sequence.ops.push_back(unsure ? Sequence::unsure
                                  : sequence.names[i] * 2 + (random.below(6) == 0 ? 1 : 0));
  }
}

std::vector<uint32_t> changed(Random& random, std::vector<uint32_t> names) {
  for (size_t change = random.below(4); change > 0; --change) {
    const auto at = static_cast<ptrdiff_t>(random.below(names.size() + 1));
    const bool end = at == static_cast<ptrdiff_t>(names.size());
    switch (random.below(4)) {
      case 0:
        if (!end) names.erase(names.begin() + at);
        break;
      case 1:
        names.insert(names.begin() + at, static_cast<uint32_t>(random.below(5)));
        break;
      case 2:
        if (!end) names[static_cast<size_t>(at)] = static_cast<uint32_t>(random.below(5));
        break;
      default: {  // what a missing layer takes along
        const ptrdiff_t most = static_cast<ptrdiff_t>(names.size()) - at;
        names.erase(names.begin() + at, names.begin() + at + std::min<ptrdiff_t>(most, 3));
      }
    }
  }
  return names;
}

/// By name, the item it is matched with, or -1.
using Matching = std::vector<int>;

struct Exhaustive {
  const std::vector<uint32_t>& names;
  const Sequence& sequence;
  size_t most = 0;
  std::vector<Matching> best = {};
  Matching now = {};

  void run(size_t i, size_t j, size_t count) {
    if (i == names.size()) {
      if (count > most) best.clear();
      most = std::max(most, count);
      if (count == most) best.push_back(now);
      return;
    }
    now.push_back(-1);
    run(i + 1, j, count);
    for (size_t k = j; k < sequence.names.size(); ++k) {
      if (sequence.names[k] != names[i]) continue;
      now.back() = static_cast<int>(k);
      run(i + 1, k + 1, count + 1);
    }
    now.pop_back();
  }
};

/// What is expected of one name.
struct Expected {
  Agreement how = Agreement::abstain;
  Path path = {};  // of `kind`, of kinds
  uint32_t chain = 0;
  std::set<uint32_t> ops = {};  // of all best alignments, if all names are matched
};

struct Seen {
  bool unmatched = false;
  std::set<Path> paths, kind_paths;
  std::set<uint32_t> chains;
  std::set<uint32_t> ops;
  std::vector<Path> standing;  // the paths it stands in
};

Path common_path(const std::vector<Path>& all) {
  Path common = all.empty() ? Path() : all[0];
  for (const Path& path : all) {
    size_t same = 0;
    while (same < common.size() && same < path.size() && common[same] == path[same]) ++same;
    common.resize(same);
  }
  return common;
}

std::vector<Expected> expected(const Model& model, const std::vector<uint32_t>& names) {
  std::vector<Expected> out(names.size());
  std::vector<Exhaustive> all;
  size_t most = 0;
  for (const Sequence& sequence : model.reference) {
    all.push_back({names, sequence});
    all.back().run(0, 0, 0);
    most = std::max(most, all.back().most);
  }
  if (2 * most < names.size()) return out;
  const bool equal = std::any_of(
      all.begin(), all.end(), [&](const Exhaustive& one) { return one.sequence.names == names; });
  std::vector<Seen> seen(names.size());
  for (const Exhaustive& one : all) {
    if (one.most != most || (equal && one.sequence.names != names)) continue;
    std::vector<std::vector<std::set<uint32_t>>> calls(names.size());  // that hold all of it
    for (const Matching& matching : one.best) {
      for (size_t i = 0; i < names.size(); ++i) {
        const auto enclosing = [&](int item) {
          std::set<uint32_t> open;
          if (item < 0) return open;
          for (const uint32_t call :
               model.calls.chain(one.sequence.items[static_cast<size_t>(item)].call))
            open.insert(call);
          return open;
        };
        if (matching[i] >= 0) {
          const Item& item = one.sequence.items[static_cast<size_t>(matching[i])];
          seen[i].paths.insert(model.path(item.call));
          seen[i].kind_paths.insert(kinds(model.path(item.call)));
          seen[i].chains.insert(item.chain);
          if (!one.sequence.ops.empty()) {
            seen[i].ops.insert(one.sequence.ops[static_cast<size_t>(matching[i])]);
          }
          calls[i].push_back(enclosing(matching[i]));
          continue;
        }
        seen[i].unmatched = true;
        int before = -1;
        int after = -1;
        for (size_t k = 0; k < i; ++k) before = std::max(before, matching[k]);
        for (size_t k = names.size(); k-- > i;) {
          if (matching[k] >= 0) after = matching[k];
        }
        calls[i].push_back(enclosing(before));
        calls[i].push_back(enclosing(after));
      }
    }
    for (size_t i = 0; i < names.size(); ++i) {
      std::set<uint32_t> common = calls[i][0];
      for (const std::set<uint32_t>& open : calls[i]) {
        std::set<uint32_t> both;
        std::set_intersection(common.begin(), common.end(), open.begin(), open.end(),
                              std::inserter(both, both.end()));
        common = both;
      }
      uint32_t innermost = Calls::none;
      for (const uint32_t call : common) {
        if (model.calls.levels(call) > model.calls.levels(innermost)) innermost = call;
      }
      seen[i].standing.push_back(model.path(innermost));
    }
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const Seen& one = seen[i];
    if (one.unmatched || one.paths.empty()) {
      const Path path = common_path(one.standing);
      if (!path.empty()) out[i] = {Agreement::within, path, 0};
    } else if (one.chains.size() == 1 && one.paths.size() == 1) {
      out[i] = {Agreement::instance, *one.paths.begin(), *one.chains.begin()};
    } else if (one.chains.size() == 1 && one.kind_paths.size() == 1) {
      out[i] = {Agreement::kind, *one.kind_paths.begin(), *one.chains.begin()};
    }
    if (most == names.size()) out[i].ops = one.ops;
  }
  return out;
}

/// Of one best alignment, with whether all agree.
void check_ops(const Model& model, const std::vector<uint32_t>& names,
               const kr::align::Aligned& found, const std::vector<Expected>& want,
               size_t (&sure)[2]) {
  REQUIRE(found.ops.empty() == want[0].ops.empty());
  for (size_t i = 0; i < found.ops.size(); ++i) {
    const kr::align::OpPlace& place = found.ops[i];
    const Sequence& sequence = model.reference[place.sequence];
    REQUIRE(sequence.names[place.item] == names[i]);
    if (i > 0) {
      REQUIRE(place.sequence == found.ops[i - 1].sequence);
      REQUIRE(place.item > found.ops[i - 1].item);
    }
    const uint32_t only = want[i].ops.size() == 1 ? *want[i].ops.begin() : Sequence::unsure;
    REQUIRE(place.sure == (only != Sequence::unsure));
    ++sure[place.sure ? 1 : 0];
    if (place.sure) REQUIRE(sequence.ops[place.item] == only);
  }
}

void check(const Model& model, const std::vector<uint32_t>& names, size_t (&counts)[4],
           size_t (&sure)[2]) {
  std::vector<uint32_t> candidates(model.reference.size());
  std::iota(candidates.begin(), candidates.end(), 0U);
  const kr::align::Aligned found =
      kr::align::align(names, model.reference, candidates, model.calls, true);
  const std::vector<Expected> want = expected(model, names);
  REQUIRE(found.kernels.size() == want.size());
  check_ops(model, names, found, want, sure);
  for (size_t i = 0; i < want.size(); ++i) {
    const Placed& placed = found.kernels[i];
    REQUIRE(placed.how == want[i].how);
    ++counts[static_cast<size_t>(placed.how)];
    if (placed.how == Agreement::abstain) continue;
    const Item& item = model.reference[placed.sequence].items[placed.item];
    Path path = model.path(item.call);
    path.resize(placed.levels);
    REQUIRE((placed.how == Agreement::kind ? kinds(path) : path) == want[i].path);
    if (placed.how != Agreement::within) REQUIRE(item.chain == want[i].chain);
  }
}

}  // namespace

TEST_CASE("what all best alignments agree on, one by one") {
  size_t counts[4] = {};
  size_t sure[2] = {};
  // Of two calls of a place the first is taken: found in round 2.
  const uint64_t rounds = kr::test::rounds(3000, 2);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    Random random(static_cast<unsigned>(round));
    Model model;
    for (size_t n = 1 + random.below(3); n > 0; --n) {
      if (random.below(3) == 0) {
        add_layers(random, model);
      } else {
        add_sequence(random, model, 1 + random.below(9));
      }
    }
    const std::vector<uint32_t> names = changed(random, model.reference[0].names);
    for (Sequence& sequence : model.reference) add_ops(random, sequence);
    if (!names.empty()) check(model, names, counts, sure);
  }
  for (const size_t count : counts) CHECK(count > rounds / 60);
  for (const size_t count : sure) CHECK(count > rounds / 60);
}

TEST_CASE("a name without its number is one of several instances, never a wrong one") {
  // Layers of equal names, of which some are missing: the truth is known.
  // A match by kind is reported as `instance`: found in round 1.
  for (uint64_t round = 0; round < kr::test::rounds(300, 1); ++round) {
    CAPTURE(round);
    Random random(static_cast<unsigned>(round));
    Model model;
    Sequence& sequence = model.reference.emplace_back();
    const uint32_t root = model.calls.add(Calls::none, "Model_0");
    const size_t layers = 2 + random.below(40);
    const size_t length = 1 + random.below(12);
    std::vector<uint32_t> pattern;
    for (size_t i = 0; i < length; ++i) {
      pattern.push_back(static_cast<uint32_t>(random.below(6)));
    }
    for (size_t layer = 0; layer < layers; ++layer) {
      const uint32_t call = model.calls.add(root, "Layer_" + std::to_string(layer));
      for (const uint32_t name : pattern) {
        sequence.names.push_back(name);
        sequence.items.push_back({call, 0});
      }
    }
    // The graph lacks some of them; each keeps the place that it has in the reference.
    std::vector<uint32_t> names;
    std::vector<uint32_t> truth;
    const size_t gap = random.below(sequence.names.size());
    const size_t gap_end = gap + random.below(2 * length);
    for (size_t i = 0; i < sequence.names.size(); ++i) {
      if ((i >= gap && i < gap_end) || random.below(50) == 0) continue;
      names.push_back(sequence.names[i]);
      truth.push_back(static_cast<uint32_t>(i));
    }
    const uint32_t only[] = {0};
    const auto found = kr::align::align(names, model.reference, only, model.calls, true);
    for (size_t i = 0; i < found.kernels.size(); ++i) {
      const Placed& placed = found.kernels[i];
      Path path = model.path(sequence.items[placed.item].call);
      Path right = model.path(sequence.items[truth[i]].call);
      path.resize(placed.levels);
      right.resize(std::min<size_t>(placed.levels, right.size()));
      if (placed.how == Agreement::kind) {
        CHECK(kinds(path) == kinds(right));
      } else if (placed.how != Agreement::abstain) {
        CHECK(path == right);
      }
    }
  }
}

TEST_CASE("bits count as a table of numbers does") {
  // The last bit of a row is not counted: found in round 1.
  for (uint64_t round = 0; round < kr::test::rounds(200, 1); ++round) {
    CAPTURE(round);
    Random random(static_cast<unsigned>(round));
    const auto list = [&] {
      std::vector<uint32_t> names(random.below(200));
      for (uint32_t& name : names) name = static_cast<uint32_t>(random.below(5));
      return names;
    };
    const std::vector<uint32_t> a = list();
    const std::vector<uint32_t> b = list();
    std::vector<std::vector<uint32_t>> table(a.size() + 1, std::vector<uint32_t>(b.size() + 1));
    for (size_t i = a.size(); i-- > 0;) {
      for (size_t j = b.size(); j-- > 0;) {
        table[i][j] =
            a[i] == b[j] ? table[i + 1][j + 1] + 1 : std::max(table[i + 1][j], table[i][j + 1]);
      }
    }
    const kr::align::NamePlaces places(b);
    const kr::align::LcsRest rest(a, places);
    REQUIRE(kr::align::lcs_length(a, places) == table[0][0]);
    for (size_t i = 0; i <= a.size(); ++i) {
      for (size_t j = 0; j <= b.size(); ++j) {
        REQUIRE(rest.at(i, j) == table[i][j]);
        if (j < b.size()) REQUIRE(rest.step(i, j) == table[i][j] - table[i][j + 1]);
      }
    }
  }
}
