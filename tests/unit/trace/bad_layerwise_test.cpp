// Each way a layer-wise profile can be wrong, and the message it gets.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support.hpp"
#include "support/layerwise_dump.hpp"

namespace kr::test::bad_layerwise_test {
namespace {

const std::string remedy = "; fix it there, or create the file again";

struct Case {
  std::string text;     // `@` is where the mistake is, and is taken out
  std::string message;  // behind the place
};

void check(const Case& c, const std::string& before, const std::string& behind,
           const std::string& end = remedy) {
  CAPTURE(c.text);
  std::string text = before + c.text + behind;
  const size_t at = text.find('@');
  REQUIRE(at != text.npos);
  text.erase(at, 1);
  const std::string expected = fmt::format("t.json: at byte {}: {}{}", at, c.message, end);
  for (const size_t block_size : {size_t{1}, size_t{5}, size_t{64}, trace::JsonPull::usual_block}) {
    CHECK(layerwise_error(text, {.block_size = block_size}) == expected);
  }
}

}  // namespace

TEST_CASE("what is wrong in a node is named with byte and path") {
  const std::string before =
      R"({"context": {}, "decode_3": {"summary_stats": [{"entry": {"name": "A", "cuda_time_us": 1},
          "children": [{"entry": {"name": "B", "cuda_time_us": 1}}, )";
  const std::string node = "decode_3.summary_stats[0].children[1]";
  const std::string entry = node + ".entry";
  const Case cases[] = {
      {"@{}", node + " has no `entry`"},
      {"@{\"children\": []}", node + " has no `entry`"},
      {"@5", node + " is a number, not an object"},
      {"@null", node + " is null, not an object"},
      {"{\"entry\": @null}", entry + " is null, not an object"},
      {"{\"entry\": @{}}", entry + " has no `name`"},
      {"{\"entry\": @{\"cuda_time_us\": 1}}", entry + " has no `name`"},
      {"{\"entry\": @{\"name\": \"x\"}}", entry + " has no `cuda_time_us`"},
      {"{\"entry\": {\"name\": @1}}", entry + ".name is a number, not a string"},
      {"{\"entry\": {\"name\": @null}}", entry + ".name is null, not a string"},
      {"{\"entry\": {\"cuda_time_us\": @\"1\"}}",
       entry + ".cuda_time_us is a string, not a number"},
      {"{\"entry\": {\"cuda_time_us\": @true}}",
       entry + ".cuda_time_us is true or false, not a number"},
      {"{\"entry\": {\"cuda_time_us\": @-0.5}}", entry + ".cuda_time_us is negative: -0.5"},
      {"{\"entry\": {\"cuda_time_us\": @NaN}}",
       entry + ".cuda_time_us is NaN, which is not a time"},
      {"{\"entry\": {\"cuda_time_us\": @Infinity}}",
       entry + ".cuda_time_us is Infinity, which is not a time"},
      {"{\"entry\": {\"cuda_time_us\": @-Infinity}}",
       entry + ".cuda_time_us is -Infinity, which is not a time"},
      {"{\"entry\": {\"cuda_time_us\": @1e16}}",
       entry + ".cuda_time_us does not fit in 64 bits of nanoseconds: 1e16"},
      {"{\"entry\": {\"invocations\": @-1}}", entry + ".invocations is negative: -1"},
      {"{\"entry\": {\"invocations\": @1.5}}", entry + ".invocations is not a whole number: 1.5"},
      {"{\"entry\": {\"invocations\": @1e3}}", entry + ".invocations is not a whole number: 1e3"},
      {"{\"entry\": {\"invocations\": @NaN}}", entry + ".invocations is NaN, which is not a count"},
      {"{\"entry\": {\"invocations\": @9223372036854775808}}",
       entry + ".invocations does not fit in 64 bits: 9223372036854775808"},
      {"{\"entry\": {\"invocations\": @[]}}", entry + ".invocations is a list, not a number"},
      {"{\"children\": @{}}", node + ".children is an object, not a list"},
      {"{\"children\": @5}", node + ".children is a number, not a list"},
      {"{\"children\": [{\"children\": [@\"x\"]}]}",
       node + ".children[0].children[0] is a string, not an object"},
      {"{\"children\": [], @\"children\": []}", node + ".children occurs twice"},
      {"{\"entry\": {\"name\": \"\", \"cuda_time_us\": 0}, @\"entry\": {}}",
       node + ".entry occurs twice"},
      {"{\"x\": 1, \"y\": 2, @\"x\": 3}", node + ".x occurs twice"},
      {"{\"entry\": {\"name\": \"\", @\"name\": \"\"}}", entry + ".name occurs twice"},
      {"{\"entry\": {\"name\": \"\", @\"n\\u0061me\": \"\"}}", entry + ".name occurs twice"},
      {"{\"entry\": {\"trace\": 1, \"a b\": 1, @\"a b\": 2}}", entry + "[\"a b\"] occurs twice"},
  };
  for (const Case& c : cases) check(c, before, "]}]}}");
}

TEST_CASE("what is wrong in a step or around it") {
  const Case cases[] = {
      {"@[]", "the whole is a list, not an object"},
      {"@5", "the whole is a number, not an object"},
      {"{\"context\": @[1]}", "context is a list, not an object"},
      {"{\"context\": {\"a\": 1, @\"a\": 2}}", "context.a occurs twice"},
      {"{\"context\": {\"b\": [1, {\"a\": 1, @\"a\": 2}]}}", "context.b[1].a occurs twice"},
      {"{\"context\": {}, @\"context\": {}}", "context occurs twice"},
      {"{\"s\": {\"summary_stats\": []}, @\"s\": {}}", "s occurs twice"},
      {"{\"s\": {\"summary_stats\": @{}}}", "s.summary_stats is an object, not a list"},
      {"{\"s\": {\"summary_stats\": @null}}", "s.summary_stats is null, not a list"},
      {"{\"s\": {\"summary_stats\": [], @\"summary_stats\": []}}", "s.summary_stats occurs twice"},
      {"{\"s\": {\"model_stats\": [], @\"model_stats\": [], \"summary_stats\": []}}",
       "s.model_stats occurs twice"},
      {"{\"s\": {\"x\": 1, @\"x\": 1, \"summary_stats\": []}}", "s.x occurs twice"},
      {"{\"s\": {\"summary_stats\": [], \"metadata\": @5}}",
       "s.metadata is a number, not an object"},
      {"{\"s\": {\"metadata\": @5, \"summary_stats\": []}}",
       "s.metadata is a number, not an object"},
      {"{\"s\": {\"metadata\": {\"num_running_seqs\": @\"8\"}, \"summary_stats\": []}}",
       "s.metadata.num_running_seqs is a string, not a number"},
      {"{\"s\": {\"metadata\": {\"num_running_seqs\": @-8}, \"summary_stats\": []}}",
       "s.metadata.num_running_seqs is negative: -8"},
      {"{\"s\": {\"metadata\": {\"x\": 1, @\"x\": 1}, \"summary_stats\": []}}",
       "s.metadata.x occurs twice"},
  };
  for (const Case& c : cases) check(c, "", "");
  CHECK(layerwise_error(R"({"s": {"summary_stats": []}})", {.each_call = true}) ==
        "t.json: at byte 6: s has no `model_stats`; read its `summary_stats`");
}

TEST_CASE("what is not JSON, in parts that are passed over too") {
  const std::string in_x = ", in x[1]";
  const Case cases[] = {
      {"@,", "this is not JSON: a value is missing" + in_x},
      {"@]", "this is not JSON: a value is missing" + in_x},
      {"1 @2", "this is not JSON: a `,` or `]` is missing, in x"},
      {"0@1", "this is not JSON: a `,` or `]` is missing, in x"},
      {"1@}", "this is not JSON: a `,` or `]` is missing, in x"},
      {"@+1", "this is not JSON: a value is missing" + in_x},
      {"@.5", "this is not JSON: a value is missing" + in_x},
      {"1.@]", "this is not JSON: a number is not valid JSON" + in_x},
      {"-@x", "this is not JSON: a number is not valid JSON" + in_x},
      {"1e@x", "this is not JSON: a number is not valid JSON" + in_x},
      {"@nul", "this is not JSON: a word that is neither `true`, `false` nor `null`" + in_x},
      {"@fals", "this is not JSON: a word that is neither `true`, `false` nor `null`" + in_x},
      {"@Nan", "this is not JSON: a word that is neither `true`, `false` nor `null`" + in_x},
      {"true@r", "this is not JSON: a `,` or `]` is missing, in x"},
      {"{@1: 2}", "this is not JSON: a key or `}` is missing" + in_x},
      {"{@,}", "this is not JSON: a key or `}` is missing" + in_x},
      {"{\"a\" @1}", "this is not JSON: a `:` is missing" + in_x + ".a"},
      {"{\"a\":@}", "this is not JSON: a value is missing" + in_x + ".a"},
      {"{\"a\":1 @\"b\":2}", "this is not JSON: a `,` or `}` is missing" + in_x},
      {"{\"a\":1@]}", "this is not JSON: a `,` or `}` is missing" + in_x},
      {"{\"a\":1,@}", "this is not JSON: a key is missing" + in_x},
      {"\"@\n\"", "this is not JSON: a string contains a control byte that is not escaped" + in_x},
      {std::string("\"@\0\"", 4),
       "this is not JSON: a string contains a control byte that is not escaped" + in_x},
      {"\"@\\x\"", "this is not JSON: a string contains an invalid escape" + in_x},
      {"\"\\u00@g0\"", "this is not JSON: a string contains an invalid escape" + in_x},
      {"\"@\\ud800\"",
       "this is not JSON: a string contains half a character (a lone surrogate)" + in_x},
      {"\"@\\ud800\\n\"",
       "this is not JSON: a string contains half a character (a lone surrogate)" + in_x},
      {"\"@\\ud800\\u0041\"",
       "this is not JSON: a string contains half a character (a lone surrogate)" + in_x},
      {"\"@\\udc00\"",
       "this is not JSON: a string contains half a character (a lone surrogate)" + in_x},
      {std::string("@\0", 2), "this is not JSON: a value is missing" + in_x},
      {"@\x01", "this is not JSON: a value is missing" + in_x},
      {"@\xc2\xa0", "this is not JSON: a value is missing" + in_x},
  };
  for (const Case& c : cases) {
    check(c, "{\"context\": {}, \"x\": [{\"b\": null}, ", "]}");
  }
  check({"@x", "this is not JSON: there is text after the end of the value"}, "{}\n ", "");
  check({"@{}", "this is not JSON: there is text after the end of the value"}, "{}", "");
  check({std::string("@\0", 2), "this is not JSON: there is text after the end of the value"}, "{}",
        "");
}

TEST_CASE("nesting has a limit, however it is made") {
  const auto lists = [](size_t count) { return std::string(count, '['); };
  const std::string before = "{\"context\": {}, \"x\": ";
  // The whole is one level.
  check({lists(trace::JsonPull::max_depth - 1) + "@" + lists(90'000),
         "this is not JSON: objects and lists are nested more than 10000 deep, in x" +
             [] {
               std::string zeros;
               for (int i = 0; i < 11; ++i) zeros += "[0]";
               return zeros + "…" + zeros + "[0]";
             }()},
        before, "");
  CHECK(layerwise_error(before + lists(trace::JsonPull::max_depth - 1) +
                        std::string(trace::JsonPull::max_depth - 1, ']') + "}") == "");
  std::string trees = "{\"s\": {\"summary_stats\": ";
  for (int i = 0; i < 50'000; ++i) {
    trees += R"([{"entry": {"name": "A", "cuda_time_us": 1}, "children": )";
  }
  CHECK(layerwise_error(trees).find("nested more than 10000 deep, in s.summary_stats[0].") !=
        std::string::npos);
  // As deep as it may be: two levels a node, and the whole, the step and an entry.
  std::string deep = "{\"s\": {\"summary_stats\": ";
  const size_t nodes = (trace::JsonPull::max_depth - 3) / 2;
  for (size_t i = 0; i < nodes; ++i) {
    deep += R"([{"entry": {"name": "A", "cuda_time_us": 1}, "children": )";
  }
  deep += "null";
  for (size_t i = 0; i < nodes; ++i) deep += "}]";
  CHECK(read_layerwise(deep + "}}").total_ns == 1000);
}

TEST_CASE("a token has a limit") {
  const std::string before = "{\"context\": {}, \"x\": ";
  const std::string text = before + "\"" + std::string(trace::JsonPull::max_token, 'x') + "\"}";
  CHECK(layerwise_error(text) ==
        fmt::format("t.json: at byte {}: a string or number begins here that does not end within "
                    "64 MiB{}",
                    before.size(), remedy));
}

TEST_CASE("a file that is cut off") {
  const std::string whole =
      R"({"context": {"model": "m", "n": 12}, "prefill": {"metadata": {"num_running_seqs": 12},
          "summary_stats": [{"entry": {"name": "A\u00e9", "cuda_time_us": 12.5, "b": true},
                             "children": []}], "model_stats": [null]},
          "decode_1": {"summary_stats": [{"entry": {"cuda_time_us": 1, "name": "B"}}],
                       "metadata": {"num_running_seqs": 34}}, "x": -1.5e+10} )";
  const size_t first_whole = whole.find("}], \"model") + 2;
  const size_t second = whole.find("\"decode_1\": {") + 13;
  const size_t second_whole = whole.find("}}],\n") + 3;
  const size_t sequences_whole = whole.find("34") + 3;
  for (size_t size = 0; size + 1 < whole.size(); ++size) {
    CAPTURE(size);
    const std::string_view cut = std::string_view(whole).substr(0, size);
    for (const size_t block_size : {size_t{3}, trace::JsonPull::usual_block}) {
      const std::string error = layerwise_error(cut, {.block_size = block_size});
      CHECK(error.starts_with(fmt::format("t.json: at byte {}: the file is cut off here", size)));
      CHECK(error.ends_with("; copy it again, or read the complete part with --allow-truncated"));
      const trace::ModuleTrace trace = read_layerwise(cut, {.block_size = block_size}, true);
      std::string expected;
      if (size >= first_whole) expected += "prefill [12]\n  A\xc3\xa9 12500 0\n";
      if (size >= second_whole) {
        expected += size >= sequences_whole ? "decode_1 [34]\n" : "decode_1\n";
        expected += "  B 1000 0\n";
      }
      CHECK(dump_steps(trace) == expected);
      REQUIRE(!trace.warnings.empty());
      const std::string warning = fmt::format("The file is cut off at byte {}", size);
      const bool in_second = size >= second && size < second_whole;
      CHECK(trace.warnings[0].text.starts_with(warning));
      if (in_second) {
        CHECK(trace.warnings[0].text ==
              warning + ": its last step, decode_1, is incomplete and is dropped.");
      }
    }
  }
  CHECK(layerwise_error(whole) == "");
}

TEST_CASE("a packed file that is cut off") {
  const Folder folder;
  std::string text = "{\"context\": {}, \"prefill\": {\"summary_stats\": []}, \"x\": \"";
  for (int i = 0; i < 20000; ++i) text += static_cast<char>('a' + i * i % 23);
  const std::string packed = gzip(text + "\"}");
  const std::string path = folder.write("t.json.gz", packed.substr(0, packed.size() / 2));
  CHECK_THROWS_AS(trace::open_any(path), Error);
  trace::OpenOptions options;
  options.allow_truncated = true;
  const trace::ModuleTrace trace = *std::move(trace::open_any(path, options).modules);
  CHECK(dump_steps(trace) == "prefill\n");
  REQUIRE(trace.warnings.size() == 1);
  CHECK(trace.warnings[0].text.find("The file is cut off at byte ") != std::string::npos);
}

TEST_CASE("what a step that is left out had lost is not told") {
  const std::string text = R"({"s": {"summary_stats": [
      {"entry": {"name": "A", "cuda_time_us": 1}, "children": [
        {"entry": {"name": "B", "cuda_time_us": 1.5}}]})";
  CHECK(read_layerwise(text, {}, true).dropped.empty());
  const trace::ModuleTrace trace = read_layerwise(text + "]}}");
  REQUIRE(trace.dropped.size() == 1);
  CHECK(trace.dropped[0].count == 500);
  CHECK(trace.dropped[0].first_offset == text.find("{\"entry\""));
}

TEST_CASE("a context has its limit too") {
  std::string text =
      "{\"context\": {\"a\": \"" + std::string(size_t{1} << 20, 'x') + "\", \"b\": 1}}";
  const trace::ModuleTrace trace = read_layerwise(text);
  CHECK(dump_context(trace) == "b = 1\n");
  REQUIRE(trace.dropped.size() == 1);
  CHECK(trace.dropped[0].what == "member of the context beyond 1 MiB");
}

}  // namespace kr::test::bad_layerwise_test
