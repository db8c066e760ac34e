// Where names of points of a chart go, so that none is on another, on a point, or on what else has
// to stay readable.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "picture/scene.hpp"

namespace kr::picture {

/// A point of a chart, and how far it goes.
struct RoundPlace {
  double x = 0, y = 0;
  double radius = 0;
};

bool overlap(const Rectangle& one, const Rectangle& other);

/// What is taken, and what is free.
class LabelPlaces {
 public:
  explicit LabelPlaces(const Rectangle& area) : area_(area) {}

  /// No label goes there.
  void take(const Rectangle& place) { taken_.push_back(place); }
  /// A label rather goes elsewhere.
  void avoid(const Rectangle& place) { avoided_.push_back(place); }

  struct Label {
    Rectangle place;
    bool apart = false;  // not beside its point: a line leads to it
  };
  /// The best place for a label of this size near a point of `radius` at (x, y), at most `farthest`
  /// from its edge, which is then taken. Nothing if there is none.
  std::optional<Label> put(const RoundPlace& point, double width, double height,
                           double farthest = 70);

  /// In the area, and not on what is taken.
  bool is_free(const Rectangle& place) const;

 private:
  size_t avoided_in(const Rectangle& place) const;
  /// Whether a line from the point to a label there goes over another one.
  bool crosses(const RoundPlace& point, const Rectangle& place) const;

  Rectangle area_;
  std::vector<Rectangle> taken_;
  std::vector<Rectangle> avoided_;
};

}  // namespace kr::picture
