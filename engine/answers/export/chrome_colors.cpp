#include <limits>

#include "export/chrome_events.hpp"
#include "picture/color.hpp"

namespace kr::exports {
namespace {

struct Named {
  std::string_view name;
  std::string_view color;
};

// The reserved colours of Chrome's trace viewer (catapult, tracing/base/color_scheme.html), without
// those that are invisible on a light page and those that repeat an earlier colour.
constexpr Named reserved_colors[] = {
    {"thread_state_uninterruptible", "#b67d8f"},
    {"thread_state_iowait", "#ff8c00"},
    {"thread_state_running", "#7ec894"},
    {"thread_state_runnable", "#85a0d2"},
    {"thread_state_unknown", "#c79b7d"},
    {"background_memory_dump", "#00b4b4"},
    {"light_memory_dump", "#0000b4"},
    {"detailed_memory_dump", "#b400b4"},
    {"vsync_highlight_color", "#0000ff"},
    {"generic_work", "#7d7d7d"},
    {"good", "#007d00"},
    {"bad", "#b47d00"},
    {"terrible", "#b40000"},
    {"black", "#000000"},
    {"yellow", "#ffff00"},
    {"olive", "#646400"},
    {"rail_response", "#4387fd"},
    {"rail_animation", "#f44a3f"},
    {"rail_idle", "#ee8e00"},
    {"rail_load", "#0da861"},
    {"startup", "#e6e600"},
    {"heap_dump_child_node_arrow", "#cc6600"},
    {"cq_build_running", "#ffff77"},
    {"cq_build_passed", "#99ee66"},
    {"cq_build_failed", "#ee8888"},
    {"cq_build_abandoned", "#bbbbbb"},
    {"cq_build_attempt_runnig", "#dede4b"},  // spelled so in Chrome
    {"cq_build_attempt_passed", "#67da23"},
    {"cq_build_attempt_failed", "#c55151"},
};

}  // namespace

std::string_view chrome_color(std::string_view color) {
  const picture::Oklab wanted = picture::oklab(color);
  std::string_view nearest;
  double least = std::numeric_limits<double>::max();
  for (const Named& named : reserved_colors) {
    const double difference = picture::color_difference(wanted, picture::oklab(named.color));
    if (difference >= least) continue;
    least = difference;
    nearest = named.name;
  }
  return nearest;
}

}  // namespace kr::exports
