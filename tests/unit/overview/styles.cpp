#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "picture/label_styles.hpp"
#include "support/reports.hpp"
#include "support/rules.hpp"

using kr::test::SummaryBuilder;

namespace {

const kr::picture::LabelStyle& of(const std::vector<kr::picture::LabelStyle>& styles,
                                  std::string_view label) {
  for (const kr::picture::LabelStyle& style : styles) {
    if (style.label == label) return style;
  }
  FAIL("no such label");
  return styles[0];
}

/// Contrast of WCAG 2 against a grey of the given linear luminance.
double contrast(const std::string& color, double other) {
  const auto linear = [&](size_t at) {
    const double value = std::stoi(color.substr(at, 2), nullptr, 16) / 255.0;
    return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  const double own = 0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5);
  return (std::max(own, other) + 0.05) / (std::min(own, other) + 0.05);
}

}  // namespace

TEST_CASE("declared titles and colours are taken, others follow from the text alone") {
  const kr::match::CompiledRules rules = kr::test::compile(R"(
labels substage {
  gemm "Dense products" color "#123456"
  attn "Attention"
}
engine e {
  substage { gemm: "gemm" attn: "flash" }
  operation { otherwise keep }
}
)");
  SummaryBuilder builder("r", {"substage", "operation", "kind"});
  builder.run().engine = "e";
  builder.run().model = "default";
  builder.add({"gemm_1", {"gemm", "gemm_1", "compute"}, 1, 1, 1});
  builder.add({"flash", {"attn", "flash", "compute"}, 1, 1, 1});
  builder.add({"else", {"unclassified", "else", "compute"}, 1, 1, 1});
  const auto runs = kr::test::kept(std::vector{std::move(builder).finish(0)});
  const auto styles = kr::picture::label_styles(rules.program(), runs);
  CHECK(styles.size() == 3 + 3 + 1);
  CHECK(of(styles, "gemm").title == "Dense products");
  CHECK(of(styles, "gemm").color == "#123456");
  CHECK(of(styles, "attn").title == "Attention");
  const auto again = kr::picture::label_styles(kr::sema::Program{}, runs);
  CHECK(of(again, "attn").color == of(styles, "attn").color);
  CHECK(of(again, "attn").title.empty());
  CHECK(of(again, "gemm_1").color == of(styles, "gemm_1").color);
}

TEST_CASE("colours made from a text stand out from light and from dark pages") {
  SummaryBuilder builder("r", {"substage"});
  for (int i = 0; i < 2000; ++i) builder.add({"k", {"label" + std::to_string(i)}, 1, 1, 1});
  const auto runs = kr::test::kept(std::vector{std::move(builder).finish(0)});
  std::set<std::string> colors;
  for (const kr::picture::LabelStyle& style :
       kr::picture::label_styles(kr::sema::Program{}, runs)) {
    REQUIRE(style.color.size() == 7);
    CAPTURE(style.color);
    CHECK(contrast(style.color, 1.0) > 2.0);    // white
    CHECK(contrast(style.color, 0.011) > 2.5);  // #161a20
    colors.insert(style.color);
  }
  CHECK(colors.size() > 90);
}
