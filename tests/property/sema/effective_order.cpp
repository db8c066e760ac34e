// The effective order against LANGUAGE's words, read naively: random programs of tables, engines
// and models over three labels, each list found by walking the ancestors one rule at a time.
#include <algorithm>
#include <array>
#include <list>
#include <map>
#include <random>
#include <set>

#include "support/rounds.hpp"
#include "unit/sema/support.hpp"

using namespace kr;

namespace {

const std::vector<std::string> labels{"compute", "communication", "memory"};
const std::vector<std::string> dimensions{"substage", "kind"};

enum class Verb { rule, include, otherwise };

struct Line {
  Verb verb;
  std::string label;
  std::string atom;  // the rule's text, unique
  size_t table = 0;
  std::string place;  // file:line
};
using Lines = std::vector<Line>;

struct WrittenTable {
  int file;
  std::string dimension;
  Lines lines;
};

struct Body {
  int file;
  std::map<std::string, Lines> blocks;
};

struct WrittenModel {
  size_t engine;
  std::string name;
  Body body;
  std::optional<size_t> base;  // in Programs::models
};

struct Engine {
  std::string name;
  Body body;
};

/// Two files: `test.kr`, which uses `m.kr`.
struct Programs {
  std::vector<WrittenTable> tables;
  std::vector<Engine> engines;
  std::vector<WrittenModel> models;
  Lines kind;
};

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  Programs make() {
    Programs made;
    for (int i = below(5); i > 0; --i) {
      const int file = below(2);
      const std::string& dimension = dimensions[static_cast<size_t>(below(2))];
      made.tables.push_back({file, dimension, lines(made, file, dimension)});
    }
    for (const char* name : {"f", "e", "g"}) {
      const int file = made.engines.empty() ? 1 : 0;
      made.engines.push_back({name, body(made, file)});
    }
    for (size_t engine = 0; engine < made.engines.size(); ++engine) {
      made.models.push_back({engine, "default", {made.engines[engine].body.file, {}}, {}});
      for (int i = below(4); i > 0; --i) {
        const std::string name = fmt::format("m{}", made.models.size());
        made.models.push_back(
            {engine, name, body(made, made.engines[engine].body.file), base(made, engine)});
      }
    }
    made.kind = {{Verb::rule, "memory", atom(), 0, {}},
                 {Verb::rule, "communication", atom(), 0, {}},
                 {Verb::rule, "memory", atom(), 0, {}},
                 {Verb::otherwise, "compute", atom(), 0, {}}};
    return made;
  }

 private:
  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }
  std::string atom() { return fmt::format("r{}", next_atom_++); }

  Body body(const Programs& made, int file) {
    Body one{file, {}};
    for (const std::string& dimension : dimensions) {
      if (below(4) > 0) one.blocks[dimension] = lines(made, file, dimension);
    }
    return one;
  }

  /// Models of the own engine, or of the other file's.
  std::optional<size_t> base(const Programs& made, size_t engine) {
    std::vector<size_t> possible;
    for (size_t m = 0; m < made.models.size(); ++m) {
      if (made.models[m].engine == engine || made.models[m].engine == 0) possible.push_back(m);
    }
    if (possible.empty() || below(4) == 0) return std::nullopt;
    return possible[static_cast<size_t>(below(static_cast<int>(possible.size())))];
  }

  Lines lines(const Programs& made, int file, const std::string& dimension) {
    Lines all;
    bool otherwise = false;
    for (int i = below(6); i > 0; --i) {
      Line line{static_cast<Verb>(std::array{0, 0, 0, 1, 2}[static_cast<size_t>(below(5))]),
                labels[static_cast<size_t>(below(3))],
                atom(),
                0,
                {}};
      if (line.verb == Verb::otherwise) {
        if (otherwise) continue;
        otherwise = true;
      }
      if (line.verb == Verb::include) {
        if (made.tables.empty()) continue;
        line.table = static_cast<size_t>(below(static_cast<int>(made.tables.size())));
        const WrittenTable& table = made.tables[line.table];
        if (table.dimension != dimension || (file == 1 && table.file == 0)) continue;
      }
      all.push_back(std::move(line));
    }
    return all;
  }

  std::mt19937 random_;
  int next_atom_ = 0;
};

/// Writes the files, one statement per line, and records the line of each.
class Writer {
 public:
  std::vector<test::Text> write(Programs& made) {
    line(0, "use \"./m.kr\" as m");
    for (size_t i = 0; i < made.tables.size(); ++i) {
      WrittenTable& table = made.tables[i];
      line(table.file, "table t" + std::to_string(i) + " for " + table.dimension + " {");
      block(made, table.file, table.lines);
      line(table.file, "}");
    }
    for (size_t e = 0; e < made.engines.size(); ++e) {
      const int file = made.engines[e].body.file;
      line(file, "engine " + made.engines[e].name + " {");
      body(made, made.engines[e].body);
      for (WrittenModel& model : made.models) {
        if (model.engine != e || model.name == "default") continue;
        line(file, "model " + model.name + extends(made, model) + " {");
        body(made, model.body);
        line(file, "}");
      }
      line(file, "}");
    }
    line(2, "table kind for kind {");
    block(made, 2, made.kind);
    line(2, "}");
    return {{"test.kr", texts_[0]}, {"m.kr", texts_[1]}, {"stdlib/kind.kr", texts_[2]}};
  }

 private:
  static std::string extends(const Programs& made, const WrittenModel& model) {
    if (!model.base) return "";
    const WrittenModel& base = made.models[*model.base];
    return " extends " + (base.engine == model.engine ? "" : std::string("m.f.")) + base.name;
  }
  void body(const Programs& made, Body& body) {
    for (auto& [dimension, lines] : body.blocks) {
      line(body.file, dimension + " {");
      block(made, body.file, lines);
      line(body.file, "}");
    }
  }
  void block(const Programs& made, int file, Lines& lines) {
    static const char* const files[] = {"test.kr", "m.kr", "stdlib/kind.kr"};
    for (Line& one : lines) {
      one.place = std::string(files[file]) + ":" + std::to_string(numbers_[file]);
      const std::string rule = one.label + ": \"" + one.atom + "\"";
      switch (one.verb) {
        case Verb::rule:
          line(file, rule);
          break;
        case Verb::include: {
          const bool other = made.tables[one.table].file != file;
          line(file,
               std::string("include ") + (other ? "m." : "") + "t" + std::to_string(one.table));
          break;
        }
        case Verb::otherwise:
          line(file, one.label + ": otherwise");
          break;
      }
    }
  }
  void line(int file, const std::string& text) {
    texts_[file] += text + "\n";
    ++numbers_[file];
  }
  std::string texts_[3];
  int numbers_[3] = {1, 1, 1};
};

class Reference {
 public:
  explicit Reference(const Programs& made) : made_(made) {}

  /// The places of the rules, `|`, and the place of `otherwise`; `-` if there are none.
  std::string effective(size_t model, const std::string& dimension) {
    std::list<std::string> list;
    if (dimension == "kind") list = places_of(made_.kind);
    bool any = !list.empty();
    const std::vector<size_t> owners = ancestors(model);
    std::string otherwise = dimension == "kind" ? made_.kind.back().place : "";
    for (auto owner = owners.rbegin(); owner != owners.rend(); ++owner) {
      const Lines* lines = block(*owner, dimension);
      if (lines == nullptr) continue;
      any = any || rules_in(*lines);
      list.splice(list.begin(), places_of(*lines));
      if (const std::string own = otherwise_of(*lines); !own.empty()) otherwise = own;
    }
    std::string text;
    for (const std::string& place : list) text += place + " ";
    text += otherwise.empty() ? "" : "| " + otherwise;
    return any || !otherwise.empty() ? text : "-";
  }

 private:
  const Lines* block(size_t owner, const std::string& dimension) const {
    const Body& body = owner < 100 ? made_.engines[owner].body : made_.models[owner - 100].body;
    const auto at = body.blocks.find(dimension);
    return at == body.blocks.end() ? nullptr : &at->second;
  }

  /// Nearest first: the model, its bases, its engine, its bases' engines.
  std::vector<size_t> ancestors(size_t model) const {
    std::vector<size_t> owners;
    std::vector<size_t> engines;
    for (std::optional<size_t> at = model; at; at = made_.models[*at].base) {
      owners.push_back(100 + *at);
      const size_t engine = made_.models[*at].engine;
      if (std::find(engines.begin(), engines.end(), engine) == engines.end()) {
        engines.push_back(engine);
      }
    }
    owners.insert(owners.end(), engines.begin(), engines.end());
    return owners;
  }
  bool rules_in(const Lines& lines) const {
    return std::any_of(lines.begin(), lines.end(), [&](const Line& line) {
      if (line.verb == Verb::include) {
        return !places_of(made_.tables[line.table].lines).empty() ||
               !otherwise_of(made_.tables[line.table].lines).empty();
      }
      return line.verb == Verb::rule || line.verb == Verb::otherwise;
    });
  }

  std::string otherwise_of(const Lines& lines) const {
    for (const Line& line : lines) {
      if (line.verb == Verb::otherwise) return line.place;
    }
    for (const Line& line : lines) {
      if (line.verb != Verb::include) continue;
      std::string included = otherwise_of(made_.tables[line.table].lines);
      if (!included.empty()) return included;
    }
    return "";
  }

  /// Of the rules of a block, with those that it includes.
  std::list<std::string> places_of(const Lines& lines) const {
    std::list<std::string> places;
    for (const Line& line : lines) {
      if (line.verb == Verb::rule) places.push_back(line.place);
      if (line.verb == Verb::include) {
        places.splice(places.end(), places_of(made_.tables[line.table].lines));
      }
    }
    return places;
  }

  const Programs& made_;
};

std::string place(const test::Loaded& loaded, source::Span span) {
  return loaded.rules->sources.place(span);
}

std::string effective(const test::Loaded& loaded, const std::string& title,
                      const std::string& dimension) {
  const auto id = loaded.program().dimension(dimension);
  const kr::sema::Table* table = id ? test::model(loaded, title).table(*id) : nullptr;
  if (table == nullptr) return "-";
  std::string text;
  for (const sema::RuleId rule : table->rules) {
    text += place(loaded, loaded.program().rules.get(rule).span) + " ";
  }
  if (table->otherwise) {
    text += "| " + place(loaded, loaded.program().rules.get(*table->otherwise).span);
  }
  return text;
}

}  // namespace

TEST_CASE("random programs have the effective order that the words say") {
  size_t compared = 0;
  const uint64_t rounds = test::rounds(1000, 2);
  for (uint32_t seed = 1; seed <= rounds; ++seed) {
    Programs made = Generator(seed).make();
    const std::vector<test::Text> texts = Writer().write(made);
    const test::Loaded loaded = test::load(texts, 2);
    CAPTURE(seed);
    CAPTURE(texts[0].text);
    CAPTURE(texts[1].text);
    Reference reference(made);
    for (size_t m = 0; m < made.models.size(); ++m) {
      const std::string title =
          made.engines[made.models[m].engine].name + "/" + made.models[m].name;
      CAPTURE(title);
      for (const std::string& dimension : dimensions) {
        REQUIRE(effective(loaded, title, dimension) == reference.effective(m, dimension));
        ++compared;
      }
    }
    for (const diag::Diagnostic& one : loaded.sink.all()) {
      REQUIRE_MESSAGE(one.code->id == "KR225", one.message);
    }
  }
  MESSAGE("compared " << compared << " lists");
  CHECK(compared > 6 * rounds);
}
