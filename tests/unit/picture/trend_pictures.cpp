#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "picture/trend_picture.hpp"

namespace kr::test::trend_pictures_test {
namespace {

/// All letters equally wide, as in no real typeface.
double even_width(std::string_view text, double size, bool) {
  return static_cast<double>(text.size()) * size * 0.6;
}

picture::TrendPictureInput trend_of_five() {
  picture::TrendPictureInput trend;
  trend.title = "Trend by substage";
  trend.axis = "time per step of decode";
  trend.runs = {"run1", "run2", "run3", "run4", "new"};
  trend.first_new = 4;
  trend.lines = {{"wall time", "#1a1f26", {2e6, 2e6, 2e6, 2e6, 4e6}, "slower", true},
                 {"gemm", "#3366cc", {1e6, {}, 1e6, 2e6, 3e6}, {}, false}};
  return trend;
}

bool has_text(const picture::TrendScene& scene, std::string_view text) {
  return std::any_of(scene.texts.begin(), scene.texts.end(),
                     [&](const picture::DrawnText& one) { return one.text == text; });
}

}  // namespace

TEST_CASE("points of a trend are as high as their time, and a missing one is a gap") {
  const picture::TrendScene scene = picture::lay_out_trend(trend_of_five(), even_width);
  REQUIRE(scene.strokes.size() == 2);
  const auto& wall = scene.strokes[0].points;
  const auto& gemm = scene.strokes[1].points;
  REQUIRE(wall.size() == 5);
  REQUIRE(gemm.size() == 4);
  const double bottom = scene.plot.y + scene.plot.height;
  // 4 ms are twice as high as 2 ms, above 0.
  CHECK(bottom - wall[4].y == doctest::Approx(2 * (bottom - wall[0].y)));
  CHECK(bottom - gemm[0].y == doctest::Approx((bottom - wall[0].y) / 2));
  CHECK(wall[4].y >= scene.plot.y - 0.01);
  for (size_t i = 1; i < wall.size(); ++i) {
    CHECK(wall[i].x > wall[i - 1].x);
    CHECK(wall[i].joined);
  }
  CHECK_FALSE(wall[0].joined);
  CHECK(gemm[1].x == wall[2].x);
  CHECK_FALSE(gemm[1].joined);
  CHECK(gemm[2].joined);
  for (const char* const text : {"run1", "new", "saved runs", "wall time", "slower",
                                 "time per step of decode (ms)", "Trend by substage"}) {
    CAPTURE(text);
    CHECK(has_text(scene, text));
  }
}

TEST_CASE("all of a trend is within the picture") {
  picture::TrendPictureInput trend = trend_of_five();
  for (int i = 0; i < 300; ++i) trend.runs.insert(trend.runs.begin(), "a run with a long name");
  trend.first_new = trend.runs.size() - 1;
  for (picture::TrendPictureLine& line : trend.lines) {
    line.ns.assign(trend.runs.size(), 12.0);
    line.name = "a label with a long name, longer than there is room for, and longer still";
  }
  const picture::TrendScene scene = picture::lay_out_trend(trend, even_width);
  for (const picture::TrendStroke& stroke : scene.strokes) {
    for (const auto& point : stroke.points) {
      CHECK(point.x > scene.plot.x);
      CHECK(point.x < scene.plot.x + scene.plot.width);
    }
  }
  for (const picture::DrawnText& text : scene.texts) {
    if (text.turn != 0 || text.align != picture::DrawnText::Align::left) continue;
    CAPTURE(text.text);
    CHECK(text.x + even_width(text.text, text.size, text.bold) <= scene.width);
  }
  // Of so many runs some are named, the last among them.
  CHECK(has_text(scene, "new"));
  CHECK(std::count_if(scene.texts.begin(), scene.texts.end(),
                      [](const auto& one) { return one.turn == -45; }) < 50);
}

TEST_CASE("a trend without times is a picture, too") {
  picture::TrendPictureInput trend = trend_of_five();
  for (picture::TrendPictureLine& line : trend.lines) line.ns.assign(5, std::nullopt);
  CHECK(picture::lay_out_trend(trend, even_width).strokes[0].points.empty());
  trend.lines.clear();
  trend.runs.clear();
  CHECK(picture::lay_out_trend(trend, even_width).strokes.empty());
}

TEST_CASE("the same trend gives the same bytes, with the mark of kr") {
  const picture::TrendPicture one = picture::trend_picture(trend_of_five());
  const picture::TrendPicture two = picture::trend_picture(trend_of_five());
  CHECK(one.svg == two.svg);
  CHECK(one.png == two.png);
  CHECK(one.svg.find("<!-- written by kr -->") != std::string::npos);
  CHECK(one.png.starts_with("\x89PNG"));
}

}  // namespace kr::test::trend_pictures_test
