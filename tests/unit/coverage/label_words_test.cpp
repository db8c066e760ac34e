#include "coverage/label_words.hpp"

#include <doctest/doctest.h>

#include "support/rules.hpp"

namespace kr {
namespace {

struct Loaded {
  match::CompiledRules rules;
  std::unique_ptr<coverage::LabelWords> words;

  explicit Loaded(const std::string& text) : rules(test::compile(text)) {
    const sema::Program& program = rules.program();
    const sema::DimensionId dimension = *program.dimension("substage");
    const sema::Table* table =
        program.models.get(program.engines.begin()->models[0]).table(dimension);
    words = std::make_unique<coverage::LabelWords>(program, dimension, table);
  }
  std::string label(std::string_view name) const { return words->propose(name).label; }
};

constexpr const char* documented = R"(
labels substage {
  gemm          "Dense GEMM"
  moe_gemm      "Expert GEMM"
  ## Layer, RMS and group norm.
  norm          "Normalisation"
  ## NCCL, custom and fused all-reduce.
  communication "Communication"
  ## Sums, means, maxima.
  reduce        "Reduction"
  ## Top-k, top-p, penalties.
  sampling      "Sampling"
  memset        "Memory sets"
  rest          "Rest"
}
engine mine {
  substage {
    gemm: "only_this"
    moe_gemm: "moe_only"
    norm: "n_only"
    communication: "c_only"
    reduce: "r_only"
    sampling: "s_only"
    memset: @memset
    rest: otherwise
  }
}
test mine {
  "acme_swizzle_a" => substage norm
  "acme_swizzle_b" => substage norm
  "acme_ring_a" => substage norm
}
)";

TEST_CASE("names, titles and documentation of labels speak for them") {
  const Loaded mine(documented);
  CHECK(mine.label("acme_gemm_64") == "gemm");
  CHECK(mine.label("acme_moe_gemm_64") == "moe_gemm");
  CHECK(mine.label("void acme::AcmeRMSNormKernel<float>(int)") == "norm");
  CHECK(mine.label("rmsnorm_rows") == "norm");
  CHECK(mine.label("normalization_rows") == "norm");
  CHECK(mine.label("topk_select") == "sampling");
  CHECK(mine.label("top_k_select") == "sampling");
  CHECK(mine.label("apply_penalty") == "sampling");
  CHECK(mine.words->propose("mean_rows").words == std::vector<std::string>{"mean"});
}

TEST_CASE("two words that make one speak as one") {
  const Loaded mine(documented);
  CHECK(mine.label("one_shot_all_reduce") == "communication");
  CHECK(mine.label("oneShotAllReduceKernel") == "communication");
  CHECK(mine.label("block_reduce") == "reduce");
}

TEST_CASE("words of names with a known label indicate it, if no other label has them") {
  Loaded mine(documented);
  CHECK(mine.label("quux_swizzle_z") == "norm");
  CHECK(mine.label("quux_ring_z") == "rest");  // one name is none to learn from
  mine.words->learn("other_ring", "gemm");
  CHECK(mine.label("quux_ring_z") == "rest");  // two labels have it
}

TEST_CASE("if no word indicates a label, that of otherwise is the placeholder") {
  const Loaded mine(documented);
  CHECK(mine.words->propose("quux_zeta").label == "rest");
  CHECK(mine.words->propose("quux_zeta").words.empty());
  // Labels that rules give only by kind, and the placeholder, are never proposed by words.
  CHECK(mine.label("memset_rows") == "rest");
  CHECK(mine.words->propose("rest_rows").words.empty());
}

TEST_CASE("an open dimension has the labels that its rules give") {
  const Loaded open("engine e { substage { gemm: \"zz\"  otherwise keep } }");
  CHECK(open.label("my_gemm_2") == "gemm");
  CHECK(open.label("other") == "unknown");
}

TEST_CASE("a closed dimension without otherwise gives its last label") {
  const Loaded closed(
      "labels substage { gemm \"G\" misc \"M\" }\n"
      "engine e { substage { gemm: \"zz\" misc: \"yy\" } }");
  CHECK(closed.label("other") == "misc");
}

}  // namespace
}  // namespace kr
