// The formulas of std.cost against counting one multiply-add, pair or element at a time.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "match/costs.hpp"
#include "sema/load.hpp"
#include "support/rounds.hpp"
#include "support/source_folder.hpp"

using namespace kr;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(test::source_folder() + "/" + path, std::ios::binary);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The model `default` of an engine with the costs of std.cost.
class StandardCosts {
 public:
  StandardCosts() {
    diag::Sink sink;
    std::vector<sema::SourceFile> files{{"mine.kr",
                                         "use std.cost\nengine mine { cost { include cost.serving "
                                         "} substage { misc: otherwise } }\n",
                                         true,
                                         {{"std.cost", 1}}},
                                        {"stdlib/cost.kr", text_of("stdlib/cost.kr"), false, {}}};
    rules_ = sema::load_rules(std::move(files), sink);
    REQUIRE(!sink.has_errors());
    table_.emplace(rules_->program, match::Database::of_automata(rules_->program),
                   sema::ModelId{0});
  }
  match::OpCost operator()(std::string_view op, const OpArguments& arguments,
                           const match::PhaseNumbers& numbers = {}) {
    const auto found = table_->find(op, arguments, numbers);
    return found ? found->cost : match::OpCost{};
  }

 private:
  std::unique_ptr<sema::LoadedRules> rules_;
  std::optional<match::CostTable> table_;
};

OpArgument tensor(std::vector<int64_t> dims, ElementType type = ElementType::bf16) {
  OpArgument made;
  made.kind = OpArgument::Kind::tensor;
  made.type = type;
  made.dims = std::move(dims);
  return made;
}
OpArgument list(std::vector<int64_t> values) {
  OpArgument made;
  made.kind = OpArgument::Kind::list;
  made.values = std::move(values);
  return made;
}
OpArgument scalar(int64_t value) {
  OpArgument made;
  made.kind = OpArgument::Kind::scalar;
  made.values = {value};
  return made;
}

class Dice {
 public:
  int64_t operator()(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }

 private:
  std::mt19937_64 random_{19};
};

}  // namespace

TEST_CASE("products count as many operations as their loops do") {
  StandardCosts costs;
  Dice dice;
  // The last of the leading dimensions is left out: found in round 1.
  for (uint64_t round = 0; round < test::rounds(50, 1); ++round) {
    CAPTURE(round);
    const int64_t m = dice(1, 9), k = dice(1, 9), n = dice(1, 9);
    int64_t flops = 0;
    for (int64_t i = 0; i < m * n; ++i) {
      for (int64_t j = 0; j < k; ++j) flops += 2;
    }
    const int64_t bytes = 2 * (m * k + k * n + m * n);
    const match::OpCost mm = costs("aten::mm", {tensor({m, k}), tensor({k, n})});
    CHECK(mm.flops == flops);
    CHECK(mm.bytes == bytes);
    CHECK(mm.type == ElementType::bf16);
    const match::OpCost linear = costs("aten::linear", {tensor({1, m, k}), tensor({n, k})});
    CHECK(linear.flops == flops);
    CHECK(linear.bytes == bytes);
    const match::OpCost biased =
        costs("aten::addmm", {tensor({n}), tensor({m, k}), tensor({k, n})});
    CHECK(biased.bytes == bytes + 2 * n);
    CHECK(!costs("aten::mm", {tensor({m, k}), tensor({k + 1, n})}).flops);
  }
}

TEST_CASE("convolutions count as many operations as their loops do") {
  StandardCosts costs;
  Dice dice;
  // Of lists of numbers the first stands for all: found in round 1.
  for (uint64_t round = 0; round < test::rounds(200, 1); ++round) {
    CAPTURE(round);
    const int64_t n = dice(1, 2), groups = dice(1, 2), c = groups * dice(1, 3),
                  out = groups * dice(1, 3), h = dice(5, 9), w = dice(5, 9), r = dice(1, 3),
                  s = dice(1, 3);
    const int64_t step[2] = {dice(1, 3), dice(1, 3)}, pad[2] = {dice(0, 2), dice(0, 2)},
                  dilation[2] = {dice(1, 2), dice(1, 2)};
    // Places where the window is inside the padded input.
    const auto places = [&](int64_t size, int64_t kernel, int axis) {
      int64_t count = 0;
      for (int64_t at = -pad[axis]; at + dilation[axis] * (kernel - 1) < size + pad[axis];
           at += step[axis]) {
        ++count;
      }
      return count;
    };
    const int64_t oh = places(h, r, 0), ow = places(w, s, 1);
    int64_t flops = 0;
    for (int64_t i = 0; i < n * out * oh * ow; ++i) flops += 2 * (c / groups) * r * s;
    const OpArgument input = tensor({n, c, h, w}), weight = tensor({out, c / groups, r, s});
    const OpArguments tail{list({step[0], step[1]}),
                           list({pad[0], pad[1]}),
                           list({dilation[0], dilation[1]}),
                           scalar(0),
                           list({0, 0}),
                           scalar(groups)};
    OpArguments forward{input, weight, tensor({out})};
    forward.insert(forward.end(), tail.begin(), tail.end());
    const match::OpCost cost = costs("aten::convolution", forward);
    CHECK(cost.flops == flops);
    const int64_t in_and_weight = 2 * (n * c * h * w + out * c / groups * r * s);
    CHECK(cost.bytes == in_and_weight + 2 * (n * out * oh * ow + out));
    OpArguments backward{tensor({n, out, oh, ow}), input, weight, list({out})};
    backward.insert(backward.end(), tail.begin(), tail.end());
    const int64_t first = dice(0, 1), second = dice(0, 1);
    backward.push_back(list({first, second, 0}));
    const match::OpCost gradients = costs("aten::convolution_backward", backward);
    CHECK(gradients.flops == flops * (first + second));
    CHECK(gradients.bytes == 2 * n * out * oh * ow + (first + second) * in_and_weight);
  }
}

TEST_CASE("attention counts the pairs that its mask leaves") {
  StandardCosts costs;
  Dice dice;
  // min() gives the larger: found in round 1.
  for (uint64_t round = 0; round < test::rounds(100, 1); ++round) {
    CAPTURE(round);
    const int64_t b = dice(1, 3), h = dice(1, 4), q = dice(1, 12), s = dice(1, 12), d = dice(1, 8);
    int64_t all = 0, causal = 0;
    for (int64_t i = 0; i < q; ++i) {
      for (int64_t j = 0; j < s; ++j) {
        ++all;
        if (j <= i) ++causal;
      }
    }
    const OpArguments dense{
        tensor({b, h, q, d}), tensor({b, h, s, d}), tensor({b, h, s, d}), {}, scalar(0)};
    OpArguments masked = dense;
    masked.back() = scalar(1);
    constexpr std::string_view op = "aten::_scaled_dot_product_flash_attention";
    CHECK(costs(op, dense).flops == 4 * b * h * d * all);
    CHECK(costs(op, masked).flops == 4 * b * h * d * causal);
    CHECK(costs(op, masked).bytes == 2 * b * h * d * 2 * (q + s));
  }
}

TEST_CASE("paged attention adds up the pairs of its requests") {
  StandardCosts costs;
  Dice dice;
  // A difference is a sum: found in round 1.
  for (uint64_t round = 0; round < test::rounds(100, 1); ++round) {
    CAPTURE(round);
    std::map<std::string, int64_t, std::less<>> sums;
    int64_t tokens = 0, keys = 0, pairs = 0;
    for (const char* part : {"context", "generation"}) {
      for (const char* sum : {"_q", "_k", "_qq", "_qk"}) sums[std::string(part) + sum] = 0;
      for (int64_t requests = dice(0, 3); requests > 0; --requests) {
        const bool prompt = part[0] == 'c';
        const int64_t q = prompt ? dice(1, 9) : 1, k = q + dice(0, 9);
        sums[std::string(part) + "_q"] += q;
        sums[std::string(part) + "_k"] += k;
        sums[std::string(part) + "_qq"] += q * q;
        sums[std::string(part) + "_qk"] += q * k;
        tokens += q;
        keys += k;
        // The last query sees all keys, the one before one less.
        for (int64_t i = 0; i < q; ++i) pairs += k - (q - 1 - i);
      }
    }
    const match::PhaseNumbers numbers = [&](std::string_view name) {
      const auto at = sums.find(name);
      return at == sums.end() ? std::nullopt : std::optional(at->second);
    };
    const OpArguments arguments{tensor({tokens, 8, 4}), tensor({99, 2, 4}, ElementType::fp8)};
    const match::OpCost cost = costs("aiter::mha_batch_prefill", arguments, numbers);
    CHECK(cost.flops == 4 * 8 * 4 * pairs);
    CHECK(cost.bytes == 2 * tokens * 8 * 4 * 2 + 2 * keys * 2 * 4);
    const match::OpCost unknown = costs("aiter::mha_batch_prefill", arguments);
    CHECK(!unknown.flops);
    CHECK(!unknown.bytes);
  }
}

TEST_CASE("elementwise ops count each operand once, and what a stride of 0 repeats once") {
  StandardCosts costs;
  OpArgument repeated = tensor({16, 32}, ElementType::fp32);
  repeated.strides = {0, 1};
  CHECK(costs("aten::copy_", {tensor({16, 32}), repeated}).bytes == 16 * 32 * 2 + 32 * 4);
  CHECK(costs("aten::add", {tensor({16, 1}), tensor({1, 32}, ElementType::fp32)}).bytes ==
        16 * 2 + 32 * 4 + 16 * 32 * 4);
  CHECK(costs("aten::mul", {tensor({16}), tensor({}, ElementType::fp64)}).bytes == 64);
  CHECK(costs("aten::gelu", {tensor({16})}).bytes == 64);
  CHECK(!costs("aten::gelu", {tensor({16}, ElementType::unknown)}).bytes);
  CHECK(!costs("aten::cat", {tensor({16})}).bytes);
}

TEST_CASE("amounts that overflow are unknown") {
  StandardCosts costs;
  const int64_t large = int64_t{1} << 40;
  const match::OpCost cost = costs("aten::mm", {tensor({large, large}), tensor({large, large})});
  CHECK(!cost.flops);
  CHECK(!cost.bytes);
}
