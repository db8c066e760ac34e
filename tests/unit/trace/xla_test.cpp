// What names, details and nested ops of XLA mean.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "trace/readers/xla_core.hpp"
#include "trace/readers/xla_details.hpp"
#include "trace/readers/xla_path.hpp"

namespace kr::test::xla_test {

TEST_CASE("stretches of ops that enclose each other") {
  const auto stretches = [](std::vector<trace::CoreOp> ops) {
    std::string out;
    for (const trace::CoreOp& one : trace::stretches_of(ops)) {
      out += fmt::format("{}:{}-{} ", one.id, one.start_ps, one.end_ps);
    }
    return out;
  };
  CHECK(stretches({}) == "");
  CHECK(stretches({{0, 10, 0}, {10, 20, 1}}) == "0:0-10 1:10-20 ");
  CHECK(stretches({{2, 4, 1}, {0, 10, 0}}) == "0:0-2 1:2-4 0:4-10 ");
  // Nothing is left of what is enclosed wholly.
  CHECK(stretches({{0, 10, 0}, {0, 10, 1}}) == "0:0-0 1:0-10 ");
  CHECK(stretches({{0, 10, 0}, {0, 5, 1}, {5, 10, 2}}) == "0:0-0 1:0-5 2:5-10 ");
  CHECK(stretches({{0, 0, 0}, {0, 4, 1}, {4, 4, 2}}) == "0:0-0 1:0-4 2:4-4 ");
  // One that ends behind what encloses it keeps its time.
  CHECK(stretches({{0, 10, 0}, {5, 15, 1}, {12, 14, 2}}) == "0:0-5 1:5-12 2:12-14 1:14-15 ");
}

TEST_CASE("modules of a name stack") {
  const auto levels = [](const trace::XlaPlace& place) {
    trace::XlaLevels all;
    std::string out;
    for (const auto& level : all.of(place)) {
      out += (out.empty() ? "" : " > ");
      out += level.name;
    }
    return out;
  };
  const auto path = [&](std::string_view text) { return levels({{}, text, {}, {}}); };
  CHECK(path("") == "");
  CHECK(path("kernel") == "");
  CHECK(path("jit(f)") == "jit_f");
  CHECK(path("jit(f)/jit(main)/conv:") == "jit_f");
  CHECK(path("jit(f)/jvp()/add") == "jit_f");
  CHECK(path("jit(f)/jvp(bsd,de->bse)/dot_general") == "jit_f > bsd,de->bse");
  CHECK(path("jit(f)/transpose(jvp(M))/a/mul") == "jit_f > M > a > autograd_phase=backward");
  CHECK(path("jit(f)/vmap(jit(silu))/logistic") == "jit_f > silu");
  CHECK(path("jit(f)/M/while/body/layers/checkpoint/mlp/dot") == "jit_f > M > layers > mlp");
  CHECK(path("jit(f)/cond/branch_1_fun/M/dot") == "jit_f > M");
  CHECK(path("jit(f)/M/a/dot;jit(f)/M/b/add") == "jit_f > M > a");
  CHECK(path("model/dense/MatMul:MatMul") == "model > dense");
  CHECK(path("////") == "");
  CHECK(path("jvp((((/") == "");
  CHECK(levels({"jit_g(77)", "jit(f)/M/dot", "loop fusion", "fusion.3"}) ==
        "jit_g > M > hlo_category=loop fusion > hlo_op=fusion.3");
  CHECK(levels({"jit_g(x)", "", "", ""}) == "jit_g(x)");
}

TEST_CASE("details that cannot be right are not read") {
  using trace::DetailField;
  const auto detail = trace::xla_detail(
      "regs:2191500840 static_shared:32462 dynamic_shared:0 grid:1280,1,1 block:256,1,1", "");
  CHECK(detail.get(DetailField::grid_x) == 1280);
  CHECK(detail.get(DetailField::block_x) == 256);
  CHECK(!detail.get(DetailField::registers));
  CHECK(!detail.get(DetailField::static_shared));
  CHECK(!trace::xla_detail("grid:0,1,1 block:4096,1,1", "").get(DetailField::grid_x));
  CHECK(!trace::xla_detail("grid:1,1", "").get(DetailField::grid_x));
  CHECK(!trace::xla_detail("", "kind:Unknown size:0 dest:512").get(DetailField::bytes));
}

}  // namespace kr::test::xla_test
