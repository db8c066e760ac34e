// A roofline: what kernels achieve, against what a GPU can (Williams, Waterman and Patterson, 2009,
// https://doi.org/10.1145/1498765.1498785). Both axes are logarithmic: operations per byte, and
// operations per second. A kernel is below the roof min(compute peak, intensity × bandwidth).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kr::picture {

/// What limits a kernel, as ncu says it.
enum class RooflineVerdict : uint8_t { unknown, compute, memory, latency };
/// `compute`, `memory`, `latency`; all else is unknown.
RooflineVerdict roofline_verdict(std::string_view text);
std::string_view to_string(RooflineVerdict verdict);

struct RooflinePoint {
  std::string name;       // of the kernel, as the trace has it
  std::string label;      // may be empty
  std::string precision;  // of the operations: `fp32`, `tensor`; may be empty
  RooflineVerdict verdict = RooflineVerdict::unknown;
  double intensity = 0;      // operations per byte of DRAM; 0 or not finite: not known
  double flops_per_s = 0;    // 0: it has none, or they were not measured
  int64_t total_ns = 0;      // 0: no duration is known; drawn with the least area
  std::string launch = {};   // `grid 32,1,1, block 128,1,1`; may be empty
  bool computed = false;     // from the shapes of ops, not measured
  std::string no_cost = {};  // why nothing is computed of this time; then it has no place
  double peak_ratio = 0;     // `flops_per_s` as a part of its own roof; 0: not known
};

struct RooflineRoof {
  enum class Kind : uint8_t { compute, memory };
  Kind kind = Kind::compute;
  std::string name;       // `FP32`, `BF16 tensor`, `DRAM`, `L2`
  double per_second = 0;  // operations, or bytes; not drawn unless more than 0
  std::string source;     // `metrics of the profile`, a data sheet
  /// What the GPU reached: named below the chart, not drawn, since roofs are upper limits.
  bool is_measured = false;
};

struct RooflineLabel {
  std::string label;
  std::string title;  // for people; may be empty
  std::string color;  // `#rrggbb`
};

struct Roofline {
  std::string title;
  std::vector<std::string> facts;  // below it, joined and wrapped: run, GPU
  std::vector<RooflinePoint> points;
  std::vector<RooflineRoof> roofs;    // of one GPU; equal ones are drawn as one line
  std::vector<RooflineLabel> labels;  // of the points; others are grey
  bool dark = false;                  // of the PNG; the SVG follows what shows it
};

/// An SVG with texts as texts, which follows light, dark and print, and says on every point what it
/// is; and a PNG. The same input gives the same bytes on one system. Throws Error if Cairo cannot
/// draw.
std::string roofline_svg(const Roofline& roofline);
std::string roofline_png(const Roofline& roofline);

/// What a page has of a roofline; it makes titles and a legend itself.
struct RooflineParts {
  /// The chart alone as an SVG element, for narrow to wide pages. The page styles its classes.
  /// Points have `data-point`, their place in `Roofline::points`, and `data-roof`, the y of their
  /// roof if that is above them.
  std::vector<std::string> charts;
  std::vector<std::string> notes;  // sentences below the chart
};
RooflineParts roofline_parts(const Roofline& roofline);

}  // namespace kr::picture
