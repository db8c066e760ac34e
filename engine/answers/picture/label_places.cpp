#include "picture/label_places.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kr::picture {
namespace {

/// Where a label is, seen from its point: -1, 0, 1 by axis. To the right first, as people read.
struct Side {
  int x, y;
};
constexpr std::array<Side, 8> sides{
    {{1, 0}, {1, -1}, {1, 1}, {0, -1}, {0, 1}, {-1, 0}, {-1, -1}, {-1, 1}}};

constexpr std::array<double, 5> distances{4, 14, 28, 46, 70};  // from the edge of the point

Rectangle beside(Side side, double x, double y, double distance, double width, double height) {
  const double diagonal = side.x != 0 && side.y != 0 ? 0.7 : 1;
  const double dx = side.x * distance * diagonal, dy = side.y * distance * diagonal;
  const double left = side.x > 0 ? x + dx : side.x < 0 ? x + dx - width : x - width / 2;
  const double top = side.y > 0 ? y + dy : side.y < 0 ? y + dy - height : y - height / 2;
  return {left, top, width, height};
}

}  // namespace

bool overlap(const Rectangle& one, const Rectangle& other) {
  return one.x < other.x + other.width && other.x < one.x + one.width &&
         one.y < other.y + other.height && other.y < one.y + one.height;
}

bool LabelPlaces::is_free(const Rectangle& place) const {
  if (place.x < area_.x || place.y < area_.y || place.x + place.width > area_.x + area_.width ||
      place.y + place.height > area_.y + area_.height) {
    return false;
  }
  return std::none_of(taken_.begin(), taken_.end(),
                      [&](const Rectangle& other) { return overlap(place, other); });
}

size_t LabelPlaces::avoided_in(const Rectangle& place) const {
  return static_cast<size_t>(
      std::count_if(avoided_.begin(), avoided_.end(),
                    [&](const Rectangle& other) { return overlap(place, other); }));
}

bool LabelPlaces::crosses(const RoundPlace& point, const Rectangle& place) const {
  const double x = std::clamp(point.x, place.x, place.x + place.width);
  const double y = std::clamp(point.y, place.y, place.y + place.height);
  const double length = std::hypot(x - point.x, y - point.y);
  for (double at = 1.5 * point.radius; at < length; at += 3) {
    const Rectangle spot{point.x + at / length * (x - point.x) - 1,
                         point.y + at / length * (y - point.y) - 1, 2, 2};
    if (std::any_of(taken_.begin(), taken_.end(),
                    [&](const Rectangle& other) { return overlap(spot, other); })) {
      return true;
    }
  }
  return false;
}

std::optional<LabelPlaces::Label> LabelPlaces::put(const RoundPlace& point, double width,
                                                   double height, double farthest) {
  constexpr double cost_of_avoided = 6, cost_of_crossing = 40;  // as much as so far away
  std::optional<Label> best;
  double least = 0;
  for (const double distance : distances) {
    if (distance > farthest) break;
    for (const Side side : sides) {
      const Rectangle place =
          beside(side, point.x, point.y, point.radius + distance, width, height);
      if (!is_free(place)) continue;
      double cost = distance + cost_of_avoided * static_cast<double>(avoided_in(place));
      if (crosses(point, place)) cost += cost_of_crossing;
      if (best && cost >= least) continue;
      best = Label{place, distance > distances.front()};
      least = cost;
    }
  }
  if (best) take(best->place);
  return best;
}

}  // namespace kr::picture
