// The effective order against LANGUAGE's words, read naively: random programs of tables, engines
// and models over three labels, each list found by walking the ancestors one rule at a time.
#include <algorithm>
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

enum class Verb { rule, replace, drop, include, otherwise };

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
      Line line{static_cast<Verb>(below(5)), labels[static_cast<size_t>(below(3))], atom(), 0, {}};
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
        case Verb::replace:
          line(file, "replace " + rule);
          break;
        case Verb::drop:
          line(file, "drop " + one.label);
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

/// One rule in a list, as the reference sees it.
struct Item {
  std::string label;
  std::string place;
  size_t owner;  // engine; 100 + model; 1000: kind
  bool written = false;
};
constexpr size_t kind_owner = 1000;

class Reference {
 public:
  explicit Reference(const Programs& made) : made_(made) {}

  /// The places of the rules, `|`, and the place of `otherwise`; `-` if there are none.
  std::string effective(size_t model, const std::string& dimension) {
    std::list<Item> list;
    bool any = false;
    if (dimension == "kind") list = table_items(made_.kind, kind_owner);
    any = !list.empty();
    const std::vector<size_t> owners = ancestors(model);
    std::string otherwise = dimension == "kind" ? made_.kind.back().place : "";
    for (auto owner = owners.rbegin(); owner != owners.rend(); ++owner) {
      const Lines* lines = block(*owner, dimension);
      if (lines == nullptr) continue;
      any = any || rules_in(*lines);
      // What a body edits is reported once, for itself; an engine's with its `default`.
      const bool itself = *owner == owners.front() || (*owner < 100 && owners.size() == 2 &&
                                                       made_.models[model].name == "default");
      list = put(*lines, std::move(list), *owner, own_ancestors(*owner), itself);
      if (const std::string own = otherwise_of(*lines); !own.empty()) otherwise = own;
    }
    std::string text;
    for (const Item& item : list) text += item.place + " ";
    text += otherwise.empty() ? "" : "| " + otherwise;
    return any || !otherwise.empty() ? text : "-";
  }

  /// Checks the tables themselves: their edits change included rules.
  void check_tables() {
    for (const WrittenTable& table : made_.tables) put(table.lines, {}, 0, {}, true);
  }
  /// The lines that are reported.
  const std::set<std::string>& reported() const { return reported_; }

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
  std::set<size_t> own_ancestors(size_t owner) const {
    std::set<size_t> all{kind_owner};
    if (owner >= 100) {
      for (const size_t one : ancestors(owner - 100)) {
        if (one != owner) all.insert(one);
      }
    }
    return all;
  }

  bool rules_in(const Lines& lines) const {
    return std::any_of(lines.begin(), lines.end(), [&](const Line& line) {
      if (line.verb == Verb::include) {
        return !items_of(line.table, 0).empty() ||
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

  std::list<Item> table_items(const Lines& lines, size_t owner) const {
    std::set<std::string> ignored;
    return put_quietly(lines, {}, owner, {}, ignored);
  }
  std::list<Item> items_of(size_t table, size_t owner) const {
    return table_items(made_.tables[table].lines, owner);
  }

  std::list<Item> put(const Lines& lines, std::list<Item> inherited, size_t owner,
                      const std::set<size_t>& touches, bool report) {
    std::set<std::string> wrong;
    auto list = put_quietly(lines, std::move(inherited), owner, touches, wrong);
    if (report) reported_.insert(wrong.begin(), wrong.end());
    return list;
  }

  std::list<Item> put_quietly(const Lines& lines, std::list<Item> inherited, size_t owner,
                              const std::set<size_t>& touches, std::set<std::string>& wrong) const {
    std::list<Item> own;
    std::set<std::string> replaced;
    std::set<std::string> dropped;
    for (const Line& line : lines) {
      if (line.verb == Verb::rule) own.push_back({line.label, line.place, owner, true});
      if (line.verb == Verb::include) own.splice(own.end(), items_of(line.table, owner));
      if (line.verb != Verb::replace && line.verb != Verb::drop) continue;
      const bool replace = line.verb == Verb::replace;
      const bool second =
          replaced.contains(line.label) || (replace && dropped.contains(line.label));
      (replace ? replaced : dropped).insert(line.label);
      if (second) {
        wrong.insert(line.place);
        continue;
      }
      bool found = false;
      const auto edit = [&](std::list<Item>& list, auto may) {
        for (auto at = list.begin(); at != list.end();) {
          if (at->label != line.label || !may(*at)) {
            ++at;
          } else if (replace && !found) {
            at->place = line.place;
            found = true;
            ++at;
          } else {
            found = true;
            at = list.erase(at);
          }
        }
      };
      edit(own, [](const Item& item) { return !item.written; });
      edit(inherited, [&](const Item& item) { return touches.contains(item.owner); });
      if (!found) wrong.insert(line.place);
    }
    // Below, all of it is inherited alike.
    for (Item& item : own) item.written = false;
    own.splice(own.end(), inherited);
    return own;
  }

  const Programs& made_;
  std::set<std::string> reported_;
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
  size_t edits_reported = 0;
  // `replace` replaces each rule of a label: found in round 2.
  const uint64_t rounds = test::rounds(1000, 2);
  for (uint32_t seed = 1; seed <= rounds; ++seed) {
    Programs made = Generator(seed).make();
    const std::vector<test::Text> texts = Writer().write(made);
    const test::Loaded loaded = test::load(texts, 2);
    CAPTURE(seed);
    CAPTURE(texts[0].text);
    CAPTURE(texts[1].text);
    Reference reference(made);
    reference.check_tables();
    for (size_t m = 0; m < made.models.size(); ++m) {
      const std::string title =
          made.engines[made.models[m].engine].name + "/" + made.models[m].name;
      CAPTURE(title);
      for (const std::string& dimension : dimensions) {
        REQUIRE(effective(loaded, title, dimension) == reference.effective(m, dimension));
        ++compared;
      }
    }
    std::set<std::string> reported;
    for (const diag::Diagnostic& one : loaded.sink.all()) {
      const std::string_view code = one.code->id;
      if (code == "KR220" || code == "KR221" || code == "KR222") {
        reported.insert(place(loaded, one.span));
      } else {
        REQUIRE_MESSAGE(code == "KR225", one.message);
      }
    }
    REQUIRE(reported == reference.reported());
    edits_reported += reported.size();
  }
  MESSAGE("compared " << compared << " lists; " << edits_reported << " edits were reported");
  CHECK(compared > 6 * rounds);
  CHECK(edits_reported > rounds / 3);
}
