#include "convert/import.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"

using namespace kr;

namespace {

struct Result {
  std::string text;
  std::vector<std::string> codes;
  bool proven = false;
};

Result imported(const std::string& json, const std::vector<std::string>& only_engines = {}) {
  source::SourceMap sources;
  diag::Sink sink;
  const source::FileId file = sources.add("dir/tables.json", json);
  convert::Imported import = convert::import_tables(sources, file, only_engines, sink);
  Result result{std::move(import.text), {}, import.proven};
  for (const diag::Diagnostic& one : sink.all()) result.codes.emplace_back(one.code->id);
  return result;
}

/// The file without its comment and labels.
std::string rules_of(const std::string& json) {
  const Result result = imported(json);
  CHECK(result.proven);
  return result.text.substr(result.text.find("\nengine") + 1);
}

std::string reason(const std::string& json) {
  try {
    (void)imported(json);
  } catch (const Error& error) {
    CHECK(error.path() == "dir/tables.json");
    CHECK_FALSE(error.remedy().empty());
    return error.why();
  }
  return {};
}

}  // namespace

TEST_CASE("neighbours of one label are joined; a last rule that always matches is otherwise") {
  CHECK(rules_of(R"({"e": {"m": {"a": "x", "b|c": "x", "d": "y", "e": "x", ".*": "z"}}})") ==
        R"(engine e {
  model m {
    substage {
      x: "a" | "b" | "c"
      y: "d"
      x: "e"
      z: otherwise
    }
  }
}
)");
  CHECK(rules_of(R"({"e": {"m": {"a": "x", ".*": "z", "b": "y"}}})") == R"(engine e {
  model m {
    substage {
      x: "a"
      z: /.*/
      y: "b"
    }
  }
}
)");
}

TEST_CASE("what all models of an engine end in is the engine's") {
  CHECK(rules_of(R"({"e": {"m": {"a": "x", "n": "comm", ".*": "z"},
                           "n": {"b": "x", "n": "comm", ".*": "z"},
                           "o": {"n": "comm", ".*": "z"}}})") == R"(engine e {
  substage {
    comm: "n"
    z:    otherwise
  }

  model m {
    substage { x: "a" }
  }

  model n {
    substage { x: "b" }
  }

  model o {}
}
)");
}

TEST_CASE("dimensions, as the first tables had them") {
  CHECK(rules_of(R"({"e": {"m": {"layer_anno": {"Stage": {".*": "layer"},
                                                "Substage": {"a": "x"}}}}})") == R"(engine e {
  model m {
    stage    { layer: otherwise }
    substage { x: "a" }
  }
}
)");
}

TEST_CASE("of equal keys the last value counts, in the place of the first") {
  const Result result = imported(R"({"e": {"m": {"a": "x", "b": "y", "a": "z"}}})");
  CHECK(result.codes == std::vector<std::string>{"KR352"});
  CHECK(result.text.find("z: \"a\"\n      y: \"b\"") != result.text.npos);
}

TEST_CASE("labels of any bytes") {
  const Result result = imported(
      R"({"e": {"m": {"a": "q\"\\\n\u0000\u202e", "b": "model", "c": "", "d": "otherwise"}}})");
  CHECK(result.proven);
  CHECK(result.codes == std::vector<std::string>{"KR351"});
  CHECK(result.text.find(R"("q\"\\\x0a\x00\xe2\x80\xae": "a")") != result.text.npos);
}

TEST_CASE("only the requested engines") {
  const std::string json = R"({"vllm": {"m": {"a": "x"}}, "sgl ang": {"m": {"b": "y"}}})";
  CHECK(imported(json, {"sgl_ang"}).text.find("vllm") == std::string::npos);
  CHECK(imported(json, {"sgl ang"}).text.find("sgl_ang") != std::string::npos);
  CHECK_THROWS_WITH_AS(imported(json, {"vlm"}),
                       "the file has no engine `vlm`; did you mean `vllm`?", Error);
}

TEST_CASE("what has another shape") {
  CHECK(reason("").find("not JSON") != std::string::npos);
  CHECK(reason("{}") == "it contains no rule");
  CHECK(reason("[]") == "it contains no rule");
  CHECK(reason(R"({"e": {}, "f": {"m": {}}})") == "it contains no rule");
  CHECK(reason("1") == "tables of patterns are an object or a list, but this is a number");
  CHECK(reason(R"({"e": 1})") == "an engine is an object of models, but this is a number");
  CHECK(reason(R"({"e": {"m": []}})") == "a model is an object of patterns, but this is a list");
  CHECK(reason(R"({"e": {"m": {"a": null}}})") == "a label is a string, but this is null");
  CHECK(reason(R"({"e": {"m": {"a": {"b": "c"}, "d": "e"}}})") ==
        "a model with dimensions contains only dimensions, but this is a string");
  CHECK(reason(R"([{"engine": "e"}])") == "`model` is a string, but this is an object");
  CHECK(reason(R"([{"engine": "e", "model": "m"}])") == "`rules` is a list, but this is an object");
  CHECK_FALSE(reason(R"([{"engine": "e", "model": "m", "rules": [["a"]]}])").empty());
  CHECK_FALSE(reason(R"([{"engine": "e", "model": "m", "rules": [["a", 1]]}])").empty());
  CHECK_FALSE(reason(R"([["a"]])").empty());
}

TEST_CASE("rules that are not equivalent are rejected, with a name") {
  const std::vector<convert::RuleText> rules{{.label = "x", .atoms = {"ab|c"}},
                                             {.label = "y", .atoms = {".*"}}};
  const std::vector<convert::EngineText> engines{
      {"e", "", {}, {{"m", "", "", {{"substage", rules}}}}}};
  const auto text = [](const std::string& rules) {
    return "engine e { model m { substage { " + rules + " } } }";
  };
  CHECK(convert::check_import(text(R"(x: "c" | "ab" y: otherwise)"), engines));
  CHECK(convert::check_import(text(R"(x: /ab|c/ x: "abc" y: /.*/)"), engines));
  CHECK_THROWS_WITH_AS(
      convert::check_import(text(R"(x: "ab" y: otherwise)"), engines),
      "e/m: the rules made from it give \"c\" the label `y`, the table `x`; nothing "
      "was written; this is a bug in kr: report it with the file",
      Error);
  CHECK_THROWS_AS(convert::check_import(text(R"(x: "ab"i | "c" y: otherwise)"), engines), Error);
  CHECK_THROWS_AS(convert::check_import(text(R"(x: "ab" | "c")"), engines), Error);
}
