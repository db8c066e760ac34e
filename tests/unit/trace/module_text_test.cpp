#include "trace/readers/module_text.hpp"

#include <doctest/doctest.h>

namespace kr::test::module_text_test {

TEST_CASE("texts that name a module") {
  using trace::module_of_text;
  CHECK(module_of_text("nn.Module: LlamaModel_0") == "LlamaModel_0");
  CHECK(module_of_text("{'Module': 'top.layers.0.mlp'}") == "top.layers.0.mlp");
  CHECK(module_of_text("{\"Module\": \"a.b\", \"Inputs\": [[1, 2]]}") == "a.b");
  CHECK(module_of_text("{ 'Inputs': [[8192, 7168], (1,)], 'x': {'Module': 'no'}, 'Module' : "
                       "\"it's\" }") == "it's");
  CHECK(module_of_text("{'Module': 'm', 'TrainableParams': {'weight': [2112, 7168]}, 'Inputs': "
                       "[[8192, 7168]], 'StaticParams': {'p': 0.5, 'mode': '}'}}") == "m");
  CHECK(module_of_text("{'a': '}', 'b': 'x\\'y', 'Module': 'q\\\\r'}") == "q\\r");
  CHECK(module_of_text("{'Module': 'Torch Compiled Module (input):LlamaModel'}") == "LlamaModel");
}

TEST_CASE("texts that name none") {
  using trace::module_of_text;
  for (const char* text :
       {"", "{", "{}", "{'Module'", "{'Module':", "{'Module': ", "{'Module': 'open",
        "{'Module': 3}", "{'Module': ['a']}", "{'mod': 'torch', 'op': 'linear'}", "{'a': [[[[",
        "{'a' 'Module': 'x'}", "Module: x", "aten::linear, seq = 1, op_id = 2, sizes = [[1, 2]]",
        "{'Module': ''}"}) {
    CAPTURE(text);
    CHECK(module_of_text(text).empty());
  }
}

TEST_CASE("shapes that a dictionary of a module tells") {
  using trace::module_arguments;
  using Kind = OpArgument::Kind;
  const OpArguments linear = module_arguments(
      "{'Module': 'a', 'TrainableParams': {'bias': [2112], 'weight': [2112, 7168]}, 'Inputs': "
      "[[8192, 7168], [3]], 'StaticParams': {'p': 0.5, 'weight': [1, 1]}}");
  REQUIRE(linear.size() == 4);
  CHECK(linear[0].dims == std::vector<int64_t>{2112, 7168});
  CHECK(linear[1].dims == std::vector<int64_t>{2112});
  CHECK(linear[2].dims == std::vector<int64_t>{8192, 7168});
  CHECK(linear[3].dims == std::vector<int64_t>{3});
  CHECK(linear[2].kind == Kind::tensor);
  CHECK(linear[2].type == ElementType::unknown);

  const OpArguments plain = module_arguments(R"({"Module": "b", "Inputs": [[8]]})");
  REQUIRE(plain.size() == 3);
  CHECK(plain[0].kind == Kind::unknown);
  CHECK(plain[1].kind == Kind::unknown);
  CHECK(plain[2].dims == std::vector<int64_t>{8});

  for (const char* text :
       {"", "nn.Module: x", "{'Module': 'a'}", "{'Inputs': []}", "{'Inputs': 3}", "{'Inputs': [[",
        "{'Inputs': [['8']]}", "{'Inputs': [[-8]]}", "{'Inputs': [[1 2]]}",
        "{'Inputs': [[1234567890123456789]]}", "{'TrainableParams': {'weight': [1, 2]}}"}) {
    CAPTURE(text);
    CHECK(module_arguments(text).empty());
  }
}

}  // namespace kr::test::module_text_test
