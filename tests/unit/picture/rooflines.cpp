#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "picture/label_places.hpp"
#include "picture/log_axis.hpp"
#include "picture/roofline_input.hpp"
#include "picture/roofline_scene.hpp"
#include "picture/roofline_tables.hpp"
#include "support/source_folder.hpp"

namespace {

using namespace kr::picture;
using Kind = RooflineRoof::Kind;

/// All letters equally wide, as in no real typeface.
double same_width(std::string_view text, double size, bool) {
  return static_cast<double>(text.size()) * size * 0.6;
}

const std::vector<RooflineRoof>& some_roofs() {
  static const std::vector<RooflineRoof> roofs{
      {Kind::compute, "FP32", 66.9e12, "a white paper"},
      {Kind::compute, "FP16 tensor", 989.4e12, "a white paper"},
      {Kind::compute, "BF16 tensor", 989.4e12, "a white paper"},
      {Kind::memory, "DRAM", 3.35e12, "metrics of the profile"},
      {Kind::memory, "L2", 9e12, "metrics of the profile"},
      {Kind::compute, "FP8 tensor", 0, "nowhere"}};
  return roofs;
}

Roofline some_roofline() {
  const double infinite = std::numeric_limits<double>::infinity();
  Roofline roofline;
  roofline.title = "Roofline of <decode>";
  roofline.facts = {"NVIDIA H100 80GB HBM3", "6 kernels"};
  roofline.points = {
      {"void gemm<float>(int)", "gemm", "tensor", RooflineVerdict::compute, 210, 512e12,
       90'000'000},
      {"flash_fwd", "attn", "tensor", RooflineVerdict::memory, 12, 28e12, 40'000'000},
      {"rms_norm", "norm", "fp32", RooflineVerdict::latency, 0.4, 0.3e12, 3'000'000},
      {"rope", "", "fp64", RooflineVerdict::unknown, 0.3, 0.08e12, 1'000'000},
      {"copy", "", "", RooflineVerdict::memory, 0, 0, 5'000'000},
      {"set", "", "fp32", RooflineVerdict::memory, infinite, 1e9, 700}};
  roofline.roofs = some_roofs();
  roofline.labels = {{"gemm", "Matrix products", "#4e79a7"}, {"attn", "", "#59a14f"}};
  return roofline;
}

Roofline many_points(size_t count) {
  Roofline roofline;
  roofline.title = "many";
  roofline.roofs = some_roofs();
  for (size_t i = 0; i < count; ++i) {
    const double x = static_cast<double>(i * 7919 % 997) / 997;
    const double y = static_cast<double>(i * 104729 % 991) / 991;
    const double intensity = std::pow(10, -1.5 + 4 * x);
    roofline.points.push_back({fmt::format("kernel_{}", i), "", "fp32", RooflineVerdict::memory,
                               intensity,
                               std::min(66.9e12, intensity * 3.35e12) * std::pow(10, -3 * y),
                               static_cast<int64_t>(1000 + i * i)});
  }
  return roofline;
}

bool has_text(const RooflineScene& scene, std::string_view words) {
  return std::any_of(scene.texts.begin(), scene.texts.end(),
                     [&](const RooflineText& one) { return one.text.text == words; });
}

/// Of level texts.
Rectangle box_of(const DrawnText& text) {
  const double width = same_width(text.text, text.size, text.bold);
  const double left = text.align == DrawnText::Align::left     ? text.x
                      : text.align == DrawnText::Align::middle ? text.x - width / 2
                                                               : text.x - width;
  return {left, text.y - text.size * 0.8, width, text.size};
}

std::vector<double> labelled(const std::vector<LogTick>& ticks) {
  std::vector<double> values;
  for (const LogTick& tick : ticks) {
    if (tick.labelled) values.push_back(tick.value);
  }
  return values;
}

}  // namespace

TEST_CASE("a logarithmic axis ends at round numbers around its values") {
  const LogScale wide = log_scale({0.3, 591}, 700);
  CHECK(wide.low == doctest::Approx(0.2));
  CHECK(wide.high == doctest::Approx(1000));
  CHECK(wide.place(0.2) == doctest::Approx(0));
  CHECK(wide.place(1000) == doctest::Approx(700));
  CHECK(wide.place(std::sqrt(0.2 * 1000)) == doctest::Approx(350));
  const LogScale single = log_scale({7.5}, 100);
  CHECK(single.high >= 9.99 * single.low);
  CHECK(single.contains(7.5));
  for (const double value : {1e-9, 0.1, 1.0, 10.0, 1000.0, 1e15}) {
    const LogScale scale = log_scale({value}, 100);
    CHECK(scale.low < value);
    CHECK(scale.high > value);
  }
}

TEST_CASE("ticks are powers of ten, with 2 and 5 where there is room") {
  CHECK(labelled(log_ticks({0.2, 1000, 760}, 56)) ==
        std::vector<double>{0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000});
  CHECK(labelled(log_ticks({0.01, 10000, 600}, 56)) ==
        std::vector<double>{0.01, 0.1, 1, 10, 100, 1000, 10000});
  CHECK(labelled(log_ticks({1e-6, 1e6, 300}, 56)) == std::vector<double>{1e-6, 1e-3, 1, 1e3, 1e6});
  // Lines between are only where decades are wide.
  CHECK(log_ticks({1, 1e6, 600}, 56).size() == 55);
  CHECK(log_ticks({1, 1e6, 120}, 56).size() == 7);
  CHECK(log_tick_text(0.001) == "0.001");
  CHECK(log_tick_text(0.2) == "0.2");
  CHECK(log_tick_text(5) == "5");
  CHECK(log_tick_text(10000) == "10,000");
}

TEST_CASE("labels of points are beside each other, never on each other") {
  LabelPlaces places({0, 0, 300, 200});
  places.take({95, 95, 10, 10});
  std::vector<Rectangle> put;
  while (put.size() < 100) {
    const auto label = places.put({100, 100, 5}, 60, 12);
    if (!label) break;
    for (const Rectangle& other : put) CHECK_FALSE(overlap(label->place, other));
    CHECK_FALSE(overlap(label->place, {95, 95, 10, 10}));
    put.push_back(label->place);
  }
  CHECK(put.size() >= 8);
  CHECK(put.size() < 100);
  CHECK(put[0].x == doctest::Approx(109));  // to the right first
  CHECK_FALSE(LabelPlaces({0, 0, 30, 30}).put({15, 15, 5}, 60, 12).has_value());
  // A line through the nearest place.
  LabelPlaces crossed({0, 0, 300, 200});
  for (double y = 0; y < 200; y += 6) crossed.avoid({140, y, 6, 6});
  const auto label = crossed.put({100, 100, 5}, 60, 12);
  REQUIRE(label.has_value());
  CHECK(label->place.x + label->place.width <= 140);
}

TEST_CASE("equal roofs are one line, unknown ones are none") {
  const std::vector<RoofLine> lines = roof_lines(some_roofs());
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].text == "FP16 tensor, BF16 tensor 989 TFLOP/s");
  CHECK(lines[1].text == "FP32 66.9 TFLOP/s");
  CHECK(lines[2].text == "L2 9.00 TB/s");
  CHECK(lines[3].text == "DRAM 3.35 TB/s");
}

TEST_CASE("what the GPU reached is named, not drawn") {
  Roofline roofline = some_roofline();
  roofline.roofs = {{Kind::compute, "FP32", 66.9e12, "a white paper"},
                    {Kind::compute, "BF16 tensor reached", 720e12, "tools/peaks", true},
                    {Kind::memory, "DRAM", 3.35e12, "a white paper"},
                    {Kind::memory, "DRAM reached", 2.9e12, "tools/peaks", true}};
  CHECK(roof_lines(roofline.roofs).size() == 2);
  CHECK(missing_roofs(roofline).contains("tensor"));
  const std::vector<std::string> notes = roofline_notes(roofline, point_names(roofline.points, 30));
  CHECK(notes[0] == "Roofs: FP32 66.9 TFLOP/s, DRAM 3.35 TB/s (a white paper).");
  CHECK(notes[1] ==
        "Not drawn: BF16 tensor reached 720 TFLOP/s, DRAM reached 2.90 TB/s (tools/peaks).");
}

TEST_CASE("what is not drawn is said, with its time") {
  const Roofline roofline = some_roofline();
  CHECK(drawn_points(roofline.points) == std::vector<size_t>{0, 1, 2, 3});
  const std::vector<std::string> names = point_names(roofline.points, 30);
  CHECK(names[0] == "gemm<float>");
  CHECK(roofline_notes(roofline, names) ==
        std::vector<std::string>{
            "Roofs: FP32 66.9 TFLOP/s, FP16 tensor 989 TFLOP/s, BF16 tensor 989 TFLOP/s (a white "
            "paper).",
            "Roofs: DRAM 3.35 TB/s, L2 9.00 TB/s (metrics of the profile).",
            "No compute roof is known for fp64.",
            "Not drawn: 1 point without counted floating-point operations, 5.00 ms: copy 5.00 ms.",
            "Not drawn: 1 point without counted DRAM bytes, 700 ns: set 700 ns."});
  Roofline bare = roofline;
  bare.roofs.clear();
  CHECK(roofline_notes(bare, names)[0] ==
        "No roofs: neither the profile nor a data sheet has them; --gpu NAME names the GPU.");
  CHECK(roofline_notes(bare, names)[1] == "No compute roof is known for fp32, fp64, tensor.");
}

TEST_CASE("time without a computed cost is said by reason, and the share that points are about") {
  const auto computed = [](const char* label, int64_t ns, const char* no_cost) {
    RooflinePoint point{label, label, *no_cost == 0 ? "bf16 tensor" : "", RooflineVerdict::memory};
    point.total_ns = ns;
    point.computed = true;
    point.no_cost = no_cost;
    if (*no_cost == 0) point.intensity = point.flops_per_s = 1e3;
    return point;
  };
  Roofline roofline;
  roofline.points = {computed("gemm", 600, ""), computed("gemm", 100, "above the peak"),
                     computed("norm", 200, "no FLOPs"), computed("copy", 60, "no clause fits"),
                     computed("cat", 40, "no clause fits")};
  const std::vector<std::string> names = point_names(roofline.points, 30);
  CHECK(names[0] == "gemm");
  CHECK(names[1] == "gemm");
  const std::vector<std::string> notes = roofline_notes(roofline, names);
  REQUIRE(notes.size() == 6);
  CHECK(notes[2] == "Computed points are of 60.0 % of the GPU time.");
  CHECK(notes[3] ==
        "Not drawn: 1 label with ops above the peak of the GPU, so that their cost is wrong, 100 "
        "ns: gemm 100 ns.");
  CHECK(notes[4] == "Not drawn: 1 label with ops whose FLOPs are not known, 200 ns: norm 200 ns.");
  CHECK(notes[5] ==
        "Not drawn: 2 labels with ops that no cost clause fits, 100 ns: copy 60 ns, cat 40 ns.");
}

TEST_CASE("a kernel with several points has its precision in their names") {
  const std::vector<RooflinePoint> points{
      {"k", "", "fp32"}, {"k", "", "tensor"}, {"l", "", "fp32"}};
  CHECK(point_names(points, 30) == std::vector<std::string>{"k (fp32)", "k (tensor)", "l"});
}

TEST_CASE("points are where their numbers say, and areas are times") {
  const RooflineScene scene = lay_out_roofline(some_roofline(), same_width);
  REQUIRE(scene.points.size() == 4);
  CHECK(scene.points[0].radius == doctest::Approx(20));
  CHECK(scene.points[1].radius == doctest::Approx(20 * std::sqrt(4.0 / 9)));
  CHECK(scene.points[0].color == "#4e79a7");
  CHECK(scene.points[3].color == "#8d939c");
  CHECK(scene.points[0].x > scene.points[1].x);
  CHECK(scene.points[0].y < scene.points[1].y);
  for (const RooflineMark& point : scene.points) {
    CHECK(point.x > scene.plot.x);
    CHECK(point.x < scene.plot.x + scene.plot.width);
    CHECK(point.y > scene.plot.y);
    CHECK(point.y < scene.plot.y + scene.plot.height);
  }
  CHECK(has_text(scene, "Matrix products"));
  CHECK(has_text(scene, "no label"));
  CHECK(has_text(scene, "FP32 66.9 TFLOP/s"));
  CHECK(has_text(scene, "295"));  // the ridge of 989.4 TFLOP/s and 3.35 TB/s
  CHECK(has_text(scene, "gemm<float> · 90.0 ms"));
  CHECK(scene.points[2].tooltip ==
        "rms_norm\nnorm\nfp32\n300 GFLOP/s at 0.400 FLOP per byte\n3.00 ms in all\nlimited by: "
        "latency");
}

TEST_CASE("no text is on another, with any number of points") {
  for (const size_t count : {0, 1, 6, 40, 200}) {
    CAPTURE(count);
    const RooflineScene scene = lay_out_roofline(many_points(count), same_width);
    std::vector<DrawnText> level;
    for (const RooflineText& one : scene.texts) {
      if (one.text.turn == 0) level.push_back(one.text);
    }
    for (size_t i = 0; i < level.size(); ++i) {
      const Rectangle box = box_of(level[i]);
      CHECK(box.x >= 0);
      CHECK(box.y >= 0);
      CHECK(box.x + box.width <= scene.width);
      CHECK(box.y + box.height <= scene.height);
      for (size_t k = i + 1; k < level.size(); ++k) {
        CAPTURE(level[i].text);
        CAPTURE(level[k].text);
        CHECK_FALSE(overlap(box, box_of(level[k])));
      }
    }
    CHECK(scene.points.size() == count);
  }
}

TEST_CASE("a kernel without a duration says so, and has the least area") {
  Roofline roofline = some_roofline();
  roofline.points[3].total_ns = 0;  // drawn
  roofline.points[5].total_ns = 0;  // not drawn
  const RooflineScene some = lay_out_roofline(roofline, same_width);
  CHECK(has_text(some, "Area: time"));
  CHECK(some.points[3].radius < some.points[2].radius);
  CHECK(some.points[3].tooltip.find("\nno duration\n") != std::string::npos);
  CHECK(svg_of_roofline(some).find(">0 ns") == std::string::npos);
  CHECK(roofline_notes(roofline, point_names(roofline.points, 30)).back() ==
        "Not drawn: 1 point without counted DRAM bytes, no duration: set no duration.");
  for (RooflinePoint& point : roofline.points) point.total_ns = 0;
  const RooflineScene none = lay_out_roofline(roofline, same_width);
  CHECK_FALSE(has_text(none, "Area: time"));
  CHECK(none.summary.find("Most time") == std::string::npos);
  for (const RooflineMark& point : none.points) CHECK(point.radius == some.points[3].radius);
}

TEST_CASE("shapes have the area of a circle") {
  for (const RooflineVerdict verdict :
       {RooflineVerdict::compute, RooflineVerdict::latency, RooflineVerdict::unknown}) {
    const std::vector<double> corners = corners_of({5, 7, 10, verdict, {}, {}});
    double area = 0;
    for (size_t i = 0; i < corners.size(); i += 2) {
      const size_t next = (i + 2) % corners.size();
      area += corners[i] * corners[next + 1] - corners[next] * corners[i + 1];
    }
    CHECK(std::fabs(area) / 2 == doctest::Approx(314.159).epsilon(0.001));
  }
  CHECK(corners_of({5, 7, 10, RooflineVerdict::memory, {}, {}}).empty());
}

TEST_CASE("the SVG is as it was") {
  const std::string svg = svg_of_roofline(lay_out_roofline(some_roofline(), same_width));
  const std::string golden = kr::test::source_folder() + "/tests/unit/picture/roofline.svg";
  // With KR_UPDATE in the environment the file is written instead.
  if (std::getenv("KR_UPDATE") != nullptr) kr::write_file(golden, svg);
  CHECK(kr::read_file(golden) == svg);
  CHECK(svg.find("Roofline of &lt;decode&gt;") != std::string::npos);
  CHECK(svg.find("prefers-color-scheme:dark") != std::string::npos);
  CHECK(svg.find("<script") == std::string::npos);
}

TEST_CASE("the same input gives the same bytes, hostile texts too") {
  Roofline roofline = some_roofline();
  roofline.title = "</title><script>\xff\x1b[31m\"'&";
  roofline.points[0].name = "</svg><script>alert(1)</script>\n\xc3(";
  roofline.points[1].label = "<b>";
  for (const bool dark : {false, true}) {
    roofline.dark = dark;
    const std::string svg = roofline_svg(roofline);
    CHECK(svg == roofline_svg(roofline));
    CHECK(svg.find("<script") == std::string::npos);
    const std::string png = roofline_png(roofline);
    CHECK(png == roofline_png(roofline));
    CHECK(png.rfind("\x89PNG", 0) == 0);
  }
  CHECK(roofline_svg({}).find("No point to draw") != std::string::npos);
}

TEST_CASE("a roofline is made from the rows of its tables") {
  using kr::table::Role;
  using kr::table::Unit;
  const auto info_of = [](std::string id, std::initializer_list<std::pair<const char*, Unit>> ids) {
    kr::table::Info info;
    info.id = std::move(id);
    for (const auto& [column, unit] : ids)
      info.columns.push_back({column, unit, Role::measure, {}});
    return info;
  };
  const kr::table::Info info = info_of("roofline", {{"run", Unit::text},
                                                    {"scope", Unit::text},
                                                    {"key", Unit::name},
                                                    {"label", Unit::text},
                                                    {"precision", Unit::text},
                                                    {"total_ns", Unit::ns},
                                                    {"flops_per_s", Unit::per_second},
                                                    {"intensity", Unit::factor},
                                                    {"bound", Unit::text}});
  const kr::table::Info roof_info = info_of("roofline_roofs", {{"run", Unit::text},
                                                               {"device", Unit::text},
                                                               {"kind", Unit::text},
                                                               {"name", Unit::text},
                                                               {"per_second", Unit::per_second},
                                                               {"source", Unit::text}});
  const auto points = [&](std::string_view second_run) {
    return kr::table::Table(info, info.columns, [=](kr::RowSink& sink) {
      sink.row({"a", "substage", "gemm", "gemm", "fp32", int64_t{9}, 1e12, 5.0, "memory"});
      sink.row(
          {second_run, "kernel", "k", "gemm", "fp32", int64_t{7}, int64_t{1000}, 2.5, kr::Cell()});
      sink.row(
          {"a", "kernel", "l", kr::Cell(), "fp32", int64_t{8}, kr::Cell(), kr::Cell(), "latency"});
    });
  };
  const kr::table::Table roofs(roof_info, roof_info.columns, [](kr::RowSink& sink) {
    sink.row({"a", "H100", "compute", "FP32", 66.9e12, "here"});
    sink.row({"a", "H100", "memory", "DRAM", 3.35e12, "there"});
  });
  const std::vector<LabelStyle> styles{{"stage", "gemm", "other", "#111111", ""},
                                       {"substage", "gemm", "Dense", "#4e79a7", ""}};
  const Roofline made = roofline_of(points("a"), &roofs, styles, "substage");
  CHECK(made.title == "Roofline of a");
  CHECK(made.facts == std::vector<std::string>{"H100", "2 kernels"});
  REQUIRE(made.points.size() == 2);
  CHECK(made.points[0].flops_per_s == 1000);
  CHECK(made.points[0].intensity == 2.5);
  CHECK(made.points[0].total_ns == 7);
  CHECK(made.points[0].verdict == RooflineVerdict::unknown);
  CHECK(made.points[1].flops_per_s == 0);
  CHECK(made.points[1].verdict == RooflineVerdict::latency);
  REQUIRE(made.roofs.size() == 2);
  CHECK(made.roofs[1].kind == Kind::memory);
  CHECK(made.roofs[1].source == "there");
  REQUIRE(made.labels.size() == 2);
  CHECK(made.labels[1].title == "Dense");
  CHECK(made.labels[1].color == "#4e79a7");
  CHECK_THROWS_AS(roofline_of(points("b"), &roofs, styles, "substage"), kr::Error);

  const std::vector<LevelRoofline> levels = rooflines_by_level(points("b"), &roofs);
  REQUIRE(levels.size() == 3);
  CHECK(levels[0].level == "substage");
  CHECK(levels[0].roofline.roofs.size() == 2);
  CHECK(levels[1].run == "b");
  CHECK(levels[1].roofline.points[0].name == "k");
  CHECK(missing_roofs(levels[1].roofline).size() == 1);  // roofs are of the other run
  CHECK(levels[2].run == "a");
  CHECK(levels[2].level == "kernel");

  // Without a table of roofs: the highest peaks of the points.
  const kr::table::Info whole = info_of("roofline", {{"run", Unit::text},
                                                     {"scope", Unit::text},
                                                     {"key", Unit::name},
                                                     {"grid", Unit::text},
                                                     {"substage", Unit::text},
                                                     {"label", Unit::text},
                                                     {"precision", Unit::text},
                                                     {"total_ns", Unit::ns},
                                                     {"flops_per_s", Unit::per_second},
                                                     {"intensity", Unit::factor},
                                                     {"peak_flops_per_s", Unit::per_second},
                                                     {"peak_bytes_per_s", Unit::per_second},
                                                     {"bound", Unit::text},
                                                     {"verdict", Unit::text}});
  const kr::table::Table peaks(whole, whole.columns, [](kr::RowSink& sink) {
    sink.row({"a", "kernel", "k", "4,1,1", "gemm", "layer", "fp32", int64_t{7}, 1e9, 2.5, 90e12,
              1.7e12, "memory", "latency"});
    sink.row({"a", "kernel", "l", kr::Cell(), kr::Cell(), "layer", "tensor", int64_t{7}, 1e9, 2.5,
              kr::Cell(), 1.8e12, "memory", kr::Cell()});
  });
  const Roofline other = roofline_of(peaks, nullptr, styles, "substage");
  CHECK(other.points[0].label == "gemm");
  CHECK(other.points[0].launch == "grid 4,1,1");
  CHECK(other.points[0].verdict == RooflineVerdict::latency);
  CHECK(other.points[1].label == "layer");
  CHECK(other.points[1].verdict == RooflineVerdict::memory);
  const std::vector<RoofLine> lines = roof_lines(other.roofs);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].text == "FP32 90.0 TFLOP/s");
  CHECK(lines[1].text == "DRAM 1.80 TB/s");
}

TEST_CASE("a page has a chart per width, and each level of each run by itself") {
  const Roofline roofline = some_roofline();
  for (const double width : {340.0, 600.0, 1100.0}) {
    CAPTURE(width);
    const RooflineScene chart = lay_out_roofline_chart(roofline, width, same_width);
    CHECK(chart.width == width);
    CHECK(chart.plot.x + chart.plot.width < width);
    CHECK(chart.points.size() == 4);
    CHECK(has_text(chart, "gemm<float>") == (width == 340));
    CHECK(has_text(chart, "gemm<float> · 90.0 ms") == (width != 340));
    for (const RooflineText& one : chart.texts) {
      if (one.text.turn != 0) continue;
      const Rectangle box = box_of(one.text);
      CAPTURE(one.text.text);
      CHECK(box.x >= 0);
      CHECK(box.x + box.width <= width);
      CHECK(box.y + box.height <= chart.height);
    }
  }
  Roofline measured = roofline;
  std::swap(measured.points[0], measured.points[4]);  // a copy, without a place
  measured.points[1].peak_ratio = 0.25;
  measured.points[1].name = "</svg><script>";
  const RooflineScene chart = lay_out_roofline_chart(measured, 600, same_width);
  CHECK(chart.points[0].point == 4);
  CHECK(chart.points[0].roof_y == 0);  // not known
  CHECK(chart.points[1].roof_y > chart.plot.y);
  CHECK(chart.points[1].roof_y < chart.points[1].y - chart.points[1].radius);
  const std::string svg = svg_of_roofline_chart(chart);
  CHECK(svg.find("class=\"point\" data-point=\"1\" data-roof=\"") != std::string::npos);
  CHECK(svg.find("<title>ridge: 295 FLOP per byte</title>") != std::string::npos);
  CHECK(svg.find("<style") == std::string::npos);
  CHECK(svg.find("<script") == std::string::npos);
  const RooflineParts parts = roofline_parts(measured);
  CHECK(parts.charts.size() == 3);
  CHECK(parts.notes.back() == "Not drawn: 1 point without counted DRAM bytes, 700 ns: set 700 ns.");
}
