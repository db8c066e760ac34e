#include <doctest/doctest.h>

#include <numeric>

#include "align/aligner.hpp"

namespace {

using namespace kr::align;

/// Layers of `period` kernels each, `Model_0 / Layer_N`.
Sequence layers(Calls& calls, size_t count, uint32_t period) {
  Sequence sequence;
  const uint32_t root = calls.add(Calls::none, "Model_0");
  for (size_t layer = 0; layer < count; ++layer) {
    const uint32_t call = calls.add(root, "Layer_" + std::to_string(layer));
    for (uint32_t i = 0; i < period; ++i) {
      sequence.names.push_back(i);
      sequence.items.push_back({call, i});
    }
  }
  return sequence;
}

}  // namespace

TEST_CASE("kinds of modules") {
  CHECK(kind_of_module("RMSNorm_7") == "RMSNorm");
  CHECK(kind_of_module("model.layers.31.mlp") == "model.layers.mlp");
  CHECK(kind_of_module("blocks[12].attn") == "blocks.attn");
  CHECK(kind_of_module("Conv2d") == "Conv2d");
  CHECK(kind_of_module("7") == "7");
  CHECK(kind_of_module("layer 12") == "layer");
  CHECK(kind_of_module("fp8_gemm_4x") == "fp8_gemm_4x");
}

TEST_CASE("a missing layer can be any of them") {
  Calls calls;
  const std::vector<Sequence> reference{layers(calls, 36, 15)};
  std::vector<uint32_t> names = reference[0].names;
  names.erase(names.begin() + 150, names.begin() + 165);
  const uint32_t only[] = {0};
  const Aligned found = align(names, reference, only, calls, true);
  CHECK(found.evidence == Evidence::names);
  CHECK(found.matched == names.size());
  for (const Placed& placed : found.kernels) {
    CHECK(placed.how == Agreement::kind);
    CHECK(placed.levels == 2);
    CHECK(placed.unnumbered == 2);  // the layer's number, not the model's
  }
}

TEST_CASE("a pair of 20,000 ends") {
  Calls calls;
  const std::vector<Sequence> reference{layers(calls, 200, 100)};
  std::vector<uint32_t> names = reference[0].names;
  names[7'777] = 1'000;
  const uint32_t only[] = {0};
  const Aligned found = align(names, reference, only, calls, true);
  CHECK(found.evidence == Evidence::names);
  CHECK(found.matched == names.size() - 1);
  CHECK(found.kernels[7'776].how == Agreement::instance);
  CHECK(found.kernels[7'777].how == Agreement::within);
  CHECK(found.kernels[7'778].how == Agreement::instance);

  // Where there are too many ways to look at all of them, it says so.
  const Aligned stopped = align(names, reference, only, calls, true, {.places = 1'000});
  CHECK(stopped.evidence == Evidence::too_long);
  CHECK(stopped.kernels[0].how == Agreement::abstain);
  const Aligned refused = align(names, reference, only, calls, true, {.cells = 1'000});
  CHECK(refused.evidence == Evidence::too_long);
}

TEST_CASE("less than half of the names is no evidence") {
  Calls calls;
  const std::vector<Sequence> reference{layers(calls, 4, 10)};
  std::vector<uint32_t> names(100, 3);
  const uint32_t only[] = {0};
  CHECK(align(names, reference, only, calls, true).evidence == Evidence::none);
}
