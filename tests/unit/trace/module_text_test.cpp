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

}  // namespace kr::test::module_text_test
