// How the time of a run's kernel is divided among the measured kernels of its name.
//
// Operations whose grid and block ncu measured are those kernels. The others, and all of a run that
// does not say how kernels were launched, are shared out among all measured kernels of the name.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyze/run.hpp"
#include "analyze/summary.hpp"
#include "ncu/measure.hpp"

namespace kr::ncu {

/// Operations of one name, labels, grid and block, which are known.
struct ShapeSum {
  trace::LaunchShape grid{};
  trace::LaunchShape block{};
  int64_t instances = 0;
  int64_t total_ns = 0;
};

/// By row of RunSummary::names, then grid and block. `run` is the sums of `labelled`, whose trace
/// has details. Operations without a whole grid and block are left out.
std::vector<std::vector<ShapeSum>> shapes_of(const analyze::RunSummary& run,
                                             const analyze::LabelledTrace& labelled);

/// A part of the time of a run's kernel that is taken as that of one measured kernel.
struct TimeShare {
  uint32_t kernel = 0;  // in Joined::kernels
  int64_t time_ns = 0;
};

/// Operations of a name that were found in one way.
struct FoundPart {
  int64_t instances = 0;
  int64_t total_ns = 0;
  int64_t measured = 0;  // kernels that this time is divided among
};

struct DividedTime {
  std::vector<TimeShare> shares;  // of distinct kernels; they add up to the time of the name
  FoundPart by_shape;             // by name, grid and block
  FoundPart by_name;              // the rest
};

/// `measured`: kernels of that name, at least one. Where several are equal, and for the rest: in
/// proportion to the time that ncu measured, else to instances. Kernels without any operation
/// have no share.
DividedTime divide_time(const analyze::NameSum& name, std::span<const ShapeSum> shapes,
                        const std::vector<uint32_t>& measured,
                        const std::vector<MeasuredKernel>& kernels);

}  // namespace kr::ncu
