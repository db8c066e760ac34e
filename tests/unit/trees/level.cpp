#include "trees/level.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "support/module_trees.hpp"
#include "trees/names.hpp"

using kr::test::Forest;
using kr::trees::Level;

namespace {

std::vector<std::string> shown(const Forest& forest, Level level) {
  kr::trace::ModuleTraceBuilder builder("test.json", "layerwise-json");
  give_step(builder, "prefill", forest);
  const kr::trace::ModuleTrace trace = std::move(builder).finish();
  std::vector<kr::trace::ModuleNode> nodes;
  trace.expand(0, nodes);
  const std::vector<bool> folded(trace.paths.size(), false);
  const std::vector<bool> several(trace.paths.size(), false);
  kr::trees::Cutter cutter(trace, level, folded, several);
  std::vector<uint32_t> places;
  cutter.cut(nodes, places);
  std::vector<std::string> paths;
  for (const uint32_t place : places)
    paths.push_back(kr::trees::path_text(trace, nodes[place].path));
  return paths;
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("levels are words or numbers") {
  CHECK(kr::trees::named_level("kernel") == Level{Level::Kind::kernel, 0});
  CHECK(kr::trees::named_level("-1") == Level{Level::Kind::kernel, 0});
  CHECK(kr::trees::named_level("-2") == Level{Level::Kind::module, 0});
  CHECK(kr::trees::named_level("layer") == Level{Level::Kind::layer, 0});
  CHECK(kr::trees::named_level("12") == Level{Level::Kind::depth, 12});
  for (const char* text : {"", "-3", "1x", "kernels", "99999999999", " 1"}) {
    CHECK_THROWS_AS((void)kr::trees::named_level(text), kr::Error);
  }
}

TEST_CASE("layers: what runs more often than its root, or siblings that differ in a number") {
  const Forest added_up{{"Llama",
                         100,
                         1,
                         {{"Embedding", 10, 1, {{"gather", 10, 1, {}}}},
                          {"Model",
                           80,
                           1,
                           {{"DecoderLayer", 70, 32, {{"Norm", 70, 64, {{"rms", 70, 64, {}}}}}},
                            {"Norm", 10, 1, {{"rms", 10, 1, {}}}}}},
                          {"copy", 10, 5, {}}}}};
  CHECK(shown(added_up, {Level::Kind::layer, 0}) == Paths{"Llama > Embedding",
                                                          "Llama > Model > DecoderLayer",
                                                          "Llama > Model > Norm", "Llama > copy"});
  const Forest apart{{"Llama",
                      100,
                      1,
                      {{"DecoderLayer_0", 50, 1, {{"a", 50, 1, {}}}},
                       {"DecoderLayer_1", 40, 1, {{"a", 40, 1, {}}}},
                       {"Norm_0", 10, 1, {{"rms", 10, 1, {}}}}}}};
  CHECK(shown(apart, {Level::Kind::layer, 0}) ==
        Paths{"Llama > DecoderLayer_0", "Llama > DecoderLayer_1", "Llama > Norm_0"});
  const Forest none{{"Llama", 10, 1, {{"a", 10, 40, {}}}}};
  CHECK(shown(none, {Level::Kind::layer, 0}) == Paths{"Llama"});
}

TEST_CASE("kernels whose siblings are modules are shown as themselves") {
  const Forest forest{
      {"Model",
       60,
       1,
       {{"Layer", 40, 1, {{"Linear", 30, 1, {{"gemm", 30, 1, {}}}}, {"k", 10, 1, {}}}},
        {"copy", 20, 1, {}}}}};
  CHECK(shown(forest, {Level::Kind::module, 0}) ==
        Paths{"Model > Layer > Linear", "Model > Layer > k", "Model > copy"});
}

TEST_CASE("names are cut between characters") {
  CHECK(kr::trees::cut_at_end("abcdef", 0) == "abcdef");
  CHECK(kr::trees::cut_at_end("abcdef", 6) == "abcdef");
  CHECK(kr::trees::cut_at_end("abcdef", 5) == "ab...");
  CHECK(kr::trees::cut_at_end("ééééé", 5) == "ééééé");
  CHECK(kr::trees::cut_at_end("éééééé", 5) == "éé...");
  CHECK(kr::trees::cut_at_end("abcdef", 2) == "ab");
}

TEST_CASE("what numbers a name") {
  CHECK(kr::trees::numbered("Layer_12").stem == "Layer");
  CHECK(kr::trees::numbered("Layer_12").number == 12);
  CHECK(kr::trees::numbered("layers.3").number == 3);
  CHECK(!kr::trees::numbered("gemm128").number);
  CHECK(!kr::trees::numbered("12").number);
  CHECK(kr::trees::numbered("decode_99999999999999999999").stem == "decode_99999999999999999999");
}
