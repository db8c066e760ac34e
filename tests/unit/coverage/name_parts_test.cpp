#include "coverage/name_parts.hpp"

#include <doctest/doctest.h>

namespace kr {
namespace {

std::string words(std::string_view identifier) {
  std::string text;
  for (const coverage::NameWord& word : coverage::words_of(identifier)) {
    text += (text.empty() ? "" : " ") + word.text + (word.descriptive ? "" : "-");
  }
  return text;
}

TEST_CASE("identifiers fall into words at underscores, humps and digits") {
  CHECK(words("acme_gate_pick") == "acme gate pick");
  CHECK(words("RMSNormKernel") == "rms norm kernel-");
  CHECK(words("fused_addBF16x2") == "fused add bf- 16- x- 2-");
  CHECK(words("gemm_128x64_nt") == "gemm 128- x- 64- nt-");
  CHECK(words("__x__") == "x-");
  CHECK(words("___").empty());
  CHECK(words("").empty());
}

TEST_CASE("names that differ in numbers, shapes and types are similar") {
  const std::string alike = coverage::descriptive_words("acme_topk_kernel_64x128_bf16");
  CHECK(alike == "acme topk");
  CHECK(coverage::descriptive_words("acme_topk_fp8_v2") == alike);
  CHECK(coverage::descriptive_words("AcmeTopkKernel") == alike);
  CHECK(coverage::descriptive_words("acme_topp") != alike);
  // If no word is descriptive, all words count.
  CHECK(coverage::descriptive_words("kernel_2") == "kernel 2");
}

void check(std::string_view name, std::string_view base, std::string_view qualified,
           const std::vector<std::string>& arguments) {
  INFO(name);
  const coverage::NameParts parts = coverage::parts_of(name);
  CHECK(parts.base == base);
  CHECK(parts.qualified == qualified);
  CHECK(parts.arguments == arguments);
}

TEST_CASE("the function's own name is found in what profilers show") {
  check("plain_kernel", "plain_kernel", "", {});
  check("void acme::foo<128, float>(float*, Traits<2>)", "foo", "acme::foo", {"Traits"});
  check("void (anonymous namespace)::foo(int)", "foo", "(anonymous namespace)::foo", {});
  check("at::native::(anonymous namespace)::bar<4, Functor>(int)", "bar",
        "at::native::(anonymous namespace)::bar", {"Functor"});
  check("std::enable_if<true, void>::type acme::baz<X::Shape>(float)", "baz", "acme::baz",
        {"acme", "Shape"});
  check("void cutlass::Kernel2<acme_conv::Operator>(acme_conv::Params)", "Kernel2",
        "cutlass::Kernel2", {"acme_conv", "Operator", "Params"});
  // Cut by the report it comes from.
  check("void acme::foo<Traits<128, 6", "foo", "acme::foo", {"Traits"});
}

TEST_CASE("mangled names are taken apart") {
  check("_ZN4acme10foo_kernelILi128EN5other6TraitsEEEvPT_", "foo_kernel", "", {"other", "Traits"});
  check("_Z8add_rowsPfi", "add_rows", "", {});
  check("_ZN12_GLOBAL__N_13barEv", "bar", "", {});
  // No identifier follows: it is a name like any other.
  check("_Zebra_stripes", "_Zebra_stripes", "", {});
  check("_ZN99short", "_ZN99short", "", {});
}

TEST_CASE("a name without identifiers is its own base") {
  check("", "", "", {});
  check("<>", "<>", "", {});
  check("Memset Device 8", "Memset Device 8", "", {});
  check("(((", "(((", "", {});
  check("\xff\xfe", "\xff\xfe", "", {});
}

TEST_CASE("of many arguments the first count") {
  std::string name = "f<";
  for (int i = 0; i < 200; ++i)
    name += "argument" + std::string(1 + i % 50, 'x') + std::to_string(i) + ",";
  CHECK(coverage::parts_of(name).arguments.size() == coverage::NameParts::max_arguments);
}

}  // namespace
}  // namespace kr
