// Fields of facts: what is read is what was written, of any run in any order; and of a file in
// which numbers were changed, reading ends with an Error or with a value that its checks allow.
#include "facts/fields.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/part_file.hpp"
#include "support/rounds.hpp"

using namespace kr;
using facts::FieldFile;
using facts::Fields;

namespace {

enum class Color : uint8_t { red, green };
const char* to_string(Color color) {
  return color == Color::red ? "red" : "green";
}
std::optional<Color> color_from(std::string_view text) {
  if (text == "red") return Color::red;
  return text == "green" ? std::optional(Color::green) : std::nullopt;
}

struct Leaf {
  int64_t ns = 0;
  std::optional<int64_t> number;
  friend bool operator==(const Leaf&, const Leaf&) = default;
};
struct Row {
  int32_t device = 0;
  double mean = 0;
  bool known = false;
  Color color = Color::red;
  std::string text;
  std::string bytes;
  std::vector<Leaf> leaves;
  std::vector<std::string> labels;
  friend bool operator==(const Row&, const Row&) = default;
};
/// What a run has: two lists with lists in them, and its own fields.
struct Fact {
  int64_t time = 0;
  std::vector<Row> rows;
  std::vector<Leaf> others;
  friend bool operator==(const Fact&, const Fact&) = default;

  void saved(Fields& io) {
    const auto leaf = [](Fields& row, Leaf& one) {
      row.amount("ns", one.ns);
      row.number("number", one.number);
    };
    io.time("time", time);
    io.list("rows", rows, [&](Fields& row, Row& one) {
      row.number("device", one.device);
      row.real("mean", one.mean);
      row.list("leaves", one.leaves, leaf);
      row.flag("known", one.known);
      row.choice("color", one.color, color_from);
      row.text("text", one.text);
      row.bytes("bytes", one.bytes);
      row.list("labels", one.labels,
               [](Fields& label, std::string& text) { label.text("text", text); });
    });
    io.list("others", others, leaf);
  }
};

/// A run without the fact has nothing.
void save(FieldFile& file, std::optional<Fact>& fact) {
  Fields io(file);
  io.rows("Fact", fact ? 1 : 0, [&](Fields& row, size_t) {
    if (!row.writes()) fact.emplace();
    fact->saved(row);
  });
}

void declare(FieldFile& file) {
  std::optional<Fact> fact;
  save(file, fact);
}

Fact random_fact(std::mt19937_64& random) {
  const auto below = [&](uint64_t limit) { return static_cast<int64_t>(random() % limit); };
  const auto text = [&] {
    std::string bytes;
    for (int64_t left = below(4); left > 0; --left) bytes += static_cast<char>(random() % 4 * 63);
    return bytes;
  };
  const auto leaves = [&] {
    std::vector<Leaf> all;
    for (int64_t left = below(4); left > 0; --left) {
      Leaf& leaf = all.emplace_back(Leaf{below(5) == 0 ? int64_t{1} << 61 : below(99), {}});
      if (below(2) == 0) leaf.number = static_cast<int64_t>(random());
    }
    return all;
  };
  Fact fact;
  fact.time = below(99) - 50;
  for (int64_t left = below(5); left > 0; --left) {
    Row& row = fact.rows.emplace_back();
    row.device = static_cast<int32_t>(random());
    row.mean = static_cast<double>(below(1000)) / 3;
    row.known = below(2) == 0;
    row.color = below(2) == 0 ? Color::red : Color::green;
    row.text = text();
    row.bytes = text();
    row.leaves = leaves();
    for (int64_t labels = below(3); labels > 0; --labels) row.labels.push_back(text());
  }
  fact.others = leaves();
  return fact;
}

class File {
 public:
  File() : folder_(temporary_folder() / "kr-test-fields", "the test") {}

  std::string write(const std::vector<std::optional<Fact>>& runs) {
    const std::string path = (folder_.path() / std::to_string(files_++)).string();
    FieldFile file(sqlite::Database::write(path), FieldFile::Mode::write, "save again", declare);
    file.database().execute("BEGIN");
    for (size_t i = 0; i < runs.size(); ++i) {
      std::optional<Fact> run = runs[i];
      file.begin_run(static_cast<int64_t>(i));
      save(file, run);
    }
    file.database().execute("COMMIT");
    return path;
  }

 private:
  PartFolder folder_;
  size_t files_ = 0;
};

std::optional<Fact> read(FieldFile& file, size_t run) {
  std::optional<Fact> fact;
  file.begin_run(static_cast<int64_t>(run));
  save(file, fact);
  return fact;
}

}  // namespace

TEST_CASE("what is read of runs is what was written, in any order") {
  std::mt19937_64 random(5);
  File files;
  // Found in the first round: the first row of a run that is not looked for.
  for (uint64_t round = 0; round < kr::test::rounds(60, 1); ++round) {
    std::vector<std::optional<Fact>> runs(1 + random() % 6);
    for (auto& run : runs) {
      if (random() % 4 != 0) run = random_fact(random);
    }
    FieldFile file(sqlite::Database::read(files.write(runs)), FieldFile::Mode::read, "save again",
                   declare);
    for (size_t i = 0; i < runs.size(); ++i) CHECK(read(file, i) == runs[i]);
    for (int left = 8; left > 0; --left) {
      const size_t i = random() % runs.size();
      CHECK(read(file, i) == runs[i]);
    }
  }
}

TEST_CASE("a file with changed numbers is refused, or has numbers that may be") {
  std::mt19937_64 random(6);
  File files;
  size_t refused = 0;
  const uint64_t rounds = kr::test::rounds(200, 2);
  // Found in the first rounds: numbers whose type and least value are not checked.
  for (uint64_t round = 0; round < rounds; ++round) {
    std::vector<std::optional<Fact>> runs(3);
    for (auto& run : runs) run = random_fact(random);
    const std::string path = files.write(runs);
    const std::vector<std::string> tables{"Fact", "Fact.rows", "Fact.rows.leaves",
                                          "Fact.rows.labels", "Fact.others"};
    const std::string table = sqlite::quoted(tables[random() % tables.size()]);
    const std::vector<std::string> values{"-1", "2", "NULL", "'text'", "x'ff'", "1e300", "1 << 62"};
    {
      const auto database = sqlite::Database::write(path);
      std::vector<std::string> columns;
      for (auto rows = database.prepare("PRAGMA table_info(" + table + ")"); rows.step();) {
        columns.emplace_back(rows.text(1));
      }
      database.execute("UPDATE " + table + " SET " +
                       sqlite::quoted(columns[random() % columns.size()]) + " = " +
                       values[random() % values.size()] + " WHERE rowid % 2 = 1");
    }
    try {
      FieldFile file(sqlite::Database::read(path), FieldFile::Mode::read, "save again", declare);
      for (size_t i = 0; i < runs.size(); ++i) {
        const std::optional<Fact> fact = read(file, i);
        if (!fact) continue;
        for (const Leaf& leaf : fact->others) CHECK(leaf.ns >= 0);
      }
    } catch (const Error& error) {
      ++refused;
      CHECK(std::string(error.what()).find(path) == 0);
    }
  }
  CHECK(refused > rounds / 4);
}

TEST_CASE("rows that no run has are refused") {
  File files;
  std::mt19937_64 random(7);
  Fact fact = random_fact(random);
  fact.others = {{1, 2}, {3, {}}};
  const std::string path = files.write({fact, fact});
  const auto refusal = [&](const std::string& change) -> std::string {
    const std::string copy = path + "c";
    std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing);
    sqlite::Database::write(copy).execute(change);
    try {
      FieldFile file(sqlite::Database::read(copy), FieldFile::Mode::read, "save again", declare);
      for (size_t i = 0; i < 2; ++i) (void)read(file, i);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  CHECK(refusal("SELECT 1").empty());
  CHECK(refusal("UPDATE \"Fact.others\" SET parent = 1 WHERE rowid = 2").find("does not add up") !=
        std::string::npos);
  CHECK(refusal("UPDATE \"Fact.others\" SET run = 0 WHERE rowid = 4").find("does not add up") !=
        std::string::npos);
  CHECK(refusal("DROP TABLE \"Fact.others\"").find("has no table `Fact.others`") !=
        std::string::npos);
  CHECK(refusal("DROP TABLE texts").find("has no table `texts`") != std::string::npos);
}
