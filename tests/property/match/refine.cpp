// `refine` and `D from E` against their words: random rules, each name labelled one rule at a time.
#include <map>
#include <random>

#include "match/evaluate.hpp"
#include "support/rounds.hpp"
#include "unit/sema/support.hpp"

using namespace kr;

namespace {

/// A rule that matches the names that contain a letter, or contain it not.
struct Line {
  std::string label;
  char letter;
  bool negated;
  bool matches(const std::string& name) const {
    return (name.find(letter) != std::string::npos) != negated;
  }
};
using Lines = std::vector<Line>;

struct Body {
  Lines rules;
  std::vector<std::pair<std::string, Lines>> refinements;
  std::map<std::string, std::string> images;  // of labels of the stage
};

constexpr std::string_view letters = "abcdef";
/// A refinement gives labels that come later in this list.
const std::vector<std::string> labels{"l0", "l1", "l2", "l3", "l4", "l5", "rest"};

class Maker {
 public:
  explicit Maker(uint32_t seed) : random_(seed) {}
  size_t below(size_t limit) { return random_() % limit; }

  Body body() {
    Body made;
    for (size_t count = below(6); count > 0; --count) made.rules.push_back(line(0));
    for (size_t count = below(4); count > 0; --count) {
      const size_t of = below(5);
      Lines lines;
      for (size_t rules = below(4); rules > 0; --rules) lines.push_back(line(of));
      made.refinements.emplace_back(labels[of], lines);
    }
    for (const std::string& label : labels) {
      if (below(2) == 0) made.images[label] = "s" + std::to_string(below(3));
    }
    return made;
  }

 private:
  Line line(size_t from) {
    return {labels[from + below(6 - from)], letters[below(letters.size())], below(3) == 0};
  }
  std::mt19937 random_;
};

std::string written(const Lines& lines) {
  std::string text;
  for (const Line& line : lines) {
    text += fmt::format("{}: {}\"{}\"\n", line.label, line.negated ? "!" : "", line.letter);
  }
  return text;
}

std::string written(const Body& body, bool otherwise) {
  std::string text = "substage {\n" + written(body.rules);
  for (const auto& [label, lines] : body.refinements) {
    text += "refine " + label + " {\n" + written(lines) + "}\n";
  }
  if (otherwise) text += "rest: otherwise\n";
  text += "}\nstage from substage {\n";
  for (const auto& [label, to] : body.images) text += to + ": " + label + "\n";
  if (otherwise) text += "other: otherwise\n";
  return text + "}\n";
}

/// The label of a name: bodies nearest first.
std::string label_of(const std::vector<const Body*>& bodies, const std::string& name) {
  std::string label = "rest";
  const auto first = [&](const Lines& lines) {
    for (const Line& line : lines) {
      if (!line.matches(name)) continue;
      label = line.label;
      return true;
    }
    return false;
  };
  for (const Body* body : bodies) {
    if (first(body->rules)) break;
  }
  for (bool changed = true; changed;) {
    changed = false;
    const std::string refined = label;
    for (const Body* body : bodies) {
      for (const auto& [of, lines] : body->refinements) {
        if (!changed && of == refined) changed = first(lines);
      }
    }
    changed = changed && label != refined;
  }
  return label;
}

std::string image_of(const std::vector<const Body*>& bodies, const std::string& label) {
  for (const Body* body : bodies) {
    const auto at = body->images.find(label);
    if (at != body->images.end()) return at->second;
  }
  return "other";
}

}  // namespace

TEST_CASE("random refinements label as their words say") {
  size_t refined = 0;
  for (uint32_t seed = 1; seed <= test::rounds(400, 1); ++seed) {
    Maker maker(seed);
    const Body engine = maker.body();
    const Body model = maker.body();
    const std::string text =
        "engine e {\n" + written(engine, true) + "model m {\n" + written(model, false) + "}\n}\n";
    CAPTURE(seed);
    CAPTURE(text);
    const test::Loaded loaded = test::load(text);
    for (const diag::Diagnostic& one : loaded.sink.all()) {
      // Of labels that no rule gives.
      const std::string_view code = one.code->id;
      REQUIRE_MESSAGE((code == "KR250" || code == "KR204" || code == "KR225"), one.message);
    }
    const sema::Program& program = loaded.program();
    const auto stage = *program.dimension("stage");
    const auto substage = *program.dimension("substage");
    const std::vector<std::pair<std::string, std::vector<const Body*>>> models{
        {"e/default", {&engine}}, {"e/m", {&model, &engine}}};
    for (const auto& one : models) {
      const std::string& title = one.first;
      const std::vector<const Body*>& bodies = one.second;
      const sema::Model& of = test::model(loaded, title);
      const match::TableMatcher stages(program, *of.table(stage));
      const match::TableMatcher substages(program, *of.table(substage));
      for (size_t bits = 0; bits < size_t{1} << letters.size(); ++bits) {
        std::string name;
        for (size_t i = 0; i < letters.size(); ++i) {
          if ((bits >> i & 1) != 0) name += letters[i];
        }
        match::AtomSet set(program.atoms.size());
        for (uint32_t i = 0; i < program.atoms.size(); ++i) {
          const std::string& atom = program.atoms.get({i}).source;  // `"a"`
          if (atom.size() == 3 && name.find(atom[1]) != std::string::npos) set.add({i});
        }
        const match::Subject subject{.name = &set};
        const std::string label = label_of(bodies, name);
        CAPTURE(title);
        CAPTURE(name);
        const auto rule = substages.match(subject);
        REQUIRE(rule.has_value());
        REQUIRE(program.rules.get(*rule).label == label);
        refined += program.rules.get(*rule).refines.empty() ? 0 : 1;
        const auto image = stages.match(subject);
        REQUIRE(image.has_value());
        REQUIRE(program.rules.get(*image).label == image_of(bodies, label));
      }
    }
  }
  CHECK(refined > 1000);
}
