// Vocabularies: closed and open dimensions, labels from includes and extends, titles and colours.
#include "unit/sema/support.hpp"

using namespace kr;
using namespace kr::test;

namespace {

/// `name "title" #color` of each label.
std::string vocabulary(const Loaded& loaded, const std::string& title,
                       const std::string& dimension) {
  const sema::Table* table = model(loaded, title).table(*loaded.program().dimension(dimension));
  if (!table->closed) return "open";
  std::string all;
  for (const sema::Label& label : table->vocabulary) {
    all += (all.empty() ? "" : ", ") + label.name;
    if (!label.title.empty()) all += " \"" + label.title + "\"";
    if (!label.color.empty()) all += " " + label.color;
  }
  return all;
}

}  // namespace

TEST_CASE("a dimension without labels is open, with them a label outside is an error") {
  const Loaded loaded = load(R"(labels substage { gemm "Dense" color "#4e79a7" misc "Rest" }
engine e {
  substage { gem: "gemm"
    gemn: "y"
    refine gemm { mist: "z" }
    miscc: otherwise }
  stage { anything: "x" }
})");
  CHECK(messages(loaded) ==
        "KR204 3:14 `gem` is not a label of `substage` (did you mean `gemm`?)\n"
        "KR204 4:5 `gemn` is not a label of `substage` (did you mean `gemm`?)\n"
        "KR250 5:12 no rule gives `gemm`, so there is nothing to refine\n"
        "KR204 5:19 `mist` is not a label of `substage` (did you mean `misc`?)\n"
        "KR204 6:5 `miscc` is not a label of `substage` (did you mean `misc`?)\n");
  CHECK(vocabulary(loaded, "e/default", "substage") == "gemm \"Dense\" #4e79a7, misc \"Rest\"");
  CHECK(vocabulary(loaded, "e/default", "stage") == "open");
  const sema::Table* table =
      model(loaded, "e/default").table(*loaded.program().dimension("substage"));
  REQUIRE(table->find("misc") != nullptr);
  CHECK(table->find("misc")->title == "Rest");
  CHECK(table->find("gem") == nullptr);
}

TEST_CASE("include brings the module's vocabulary") {
  const std::string module = R"(labels substage { a "A" b "B" color "#000000" }
table t for substage { a: "1" })";
  const Loaded loaded = load({{"test.kr", R"(use "./m.kr"
engine e { substage { include m.t
  b: "2"
  c: "3" } })"},
                              {"m.kr", module}});
  CHECK(messages(loaded) == "KR204 4:3 `c` is not a label of `substage` (available: `a`, `b`)\n");
  CHECK(vocabulary(loaded, "e/default", "substage") == "a \"A\", b \"B\" #000000");
  // The nearer title and colour win; what the nearer omits stays.
  const Loaded near = load({{"test.kr", R"(use "./m.kr"
labels substage { c "C" b "Mine" a color "#fff" }
engine e { substage { include m.t
  c: "3" } })"},
                            {"m.kr", module}});
  CHECK(messages(near) == "");
  CHECK(vocabulary(near, "e/default", "substage") ==
        "c \"C\", b \"Mine\" #000000, a \"A\" #ffffff");
}

TEST_CASE("labels extend labels") {
  const Loaded loaded = load({{"test.kr", R"(use "./m.kr"
labels substage extends m.substage { c "C" a "Mine" }
engine e { substage { a: "1"
  b: "2"
  c: "3"
  d: "4" } })"},
                              {"m.kr", "labels substage { a \"A\" b \"B\" }"}});
  CHECK(messages(loaded) ==
        "KR204 6:3 `d` is not a label of `substage` (available: `c`, `a`, `b`)\n");
  CHECK(vocabulary(loaded, "e/default", "substage") == "c \"C\", a \"Mine\", b \"B\"");
  CHECK(messages(load({{"test.kr", "use \"./m.kr\"\nlabels substage extends m.subtage { a }"},
                       {"m.kr", "labels substage { a }"}})) ==
        "KR208 2:27 unknown labels of `m.subtage` (did you mean `m.substage`?)\n");
  CHECK(messages(load("labels a extends b { x }\nlabels b extends a { y }")) ==
        "KR216 1:18 cyclic `extends`: a → b → a\n");
}

TEST_CASE("a model of another file brings its vocabulary") {
  const std::string base = R"(labels substage { a "A" }
engine f { model base { substage { a: "1" } } })";
  const Loaded loaded = load({{"test.kr", R"(use "./m.kr"
engine e { model x extends m.base { substage { b: "2" } } })"},
                              {"m.kr", base}});
  CHECK(messages(loaded) == "KR204 2:48 `b` is not a label of `substage` (available: `a`)\n");
  const Loaded added = load({{"test.kr", R"(use "./m.kr"
labels substage extends m.substage { b "B" }
engine e { model x extends m.base { substage { b: "2" } } })"},
                             {"m.kr", base}});
  CHECK(messages(added) == "");
  CHECK(vocabulary(added, "e/x", "substage") == "b \"B\", a \"A\"");
}

TEST_CASE("rules from an open file must use the vocabulary too") {
  const Loaded loaded = load({{"test.kr", R"(use "./m.kr"
labels substage { a }
engine e {
  substage { include m.t }
  model x { substage { a: "2" } }
  model y extends m.base { }
})"},
                              {"m.kr", R"(table t for substage { aa: "1"
  zzz: otherwise }
engine f { model base { substage { other: "3" } } })"}});
  CHECK(messages(loaded) ==
        "KR204 4:22 `aa` is not a label of `substage` (did you mean `a`?)\n"
        "KR204 4:22 `zzz` is not a label of `substage` (add `zzz` to `labels substage`)\n"
        "KR204 6:19 `other` is not a label of `substage` (add `other` to `labels substage`)\n");
}

TEST_CASE("reserved labels and colours that are none") {
  CHECK(messages(load(R"kr(labels substage {
  unclassified "U"
  "(self)" "S"
  a "A" color "red"
  b "B" color "#12345"
}
engine e { substage { others: "x"
  "CPU(non-GPU)": "y" } })kr")) ==
        "KR217 2:3 `unclassified` is a reserved label (only kr gives it; choose another, such as "
        "`unclassified_`)\n"
        "KR217 3:3 `(self)` is a reserved label (only kr gives it; choose another, such as "
        "`self_`)\n"
        "KR228 4:15 `red` is not a colour (write it as red, green and blue in hex digits: "
        "`#4e79a7`)\n"
        "KR228 5:15 `#12345` is not a colour (write it as red, green and blue in hex digits: "
        "`#4e79a7`)\n"
        "KR217 7:23 `others` is a reserved label (only kr gives it; choose another, such as "
        "`others_`)\n"
        "KR217 8:3 `CPU(non-GPU)` is a reserved label (only kr gives it; choose another, such as "
        "`cpu_`)\n");
}

TEST_CASE("a table uses the labels of its own file") {
  CHECK(messages(load({{"test.kr", "use \"./m.kr\" engine e { s { include m.t } }"},
                       {"m.kr", "labels s { a b }\ntable t for s { a: \"1\"\n d: \"2\" }"}})) ==
        "m.kr KR204 3:2 `d` is not a label of `s` (available: `a`, `b`)\n");
}
