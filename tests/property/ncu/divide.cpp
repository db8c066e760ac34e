// Time of random operations among random measured kernels, against a walk over every pair of them.
#include "ncu/divide.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "support/pieces.hpp"
#include "support/rounds.hpp"

namespace kr::test::ncu_divide_test {
namespace {

using trace::DetailField;
using trace::LaunchShape;

/// Few, so that many are equal; a 0 is not known.
struct Shape {
  LaunchShape grid, block;
  bool is_whole() const {
    const auto more = [](uint32_t size) { return size > 0; };
    return std::all_of(grid.begin(), grid.end(), more) &&
           std::all_of(block.begin(), block.end(), more);
  }
  bool operator==(const Shape&) const = default;
};

Shape random_shape(Random& random) {
  const auto size = [&](size_t most) { return static_cast<uint32_t>(below(random, most)); };
  Shape shape{{1 + size(3), 1 + size(2), 1}, {32, 1, 1}};
  if (below(random, 6) == 0) shape.block[below(random, 3)] = 0;
  if (below(random, 6) == 0) shape.grid = {0, 0, 0};
  return shape;
}

struct RandomRun {
  analyze::LabelledTrace labelled;
  analyze::RunSummary sums;
  std::vector<Shape> shapes;   // by operation
  std::vector<size_t> sum_of;  // by operation, in RunSummary::names
};

/// Names of two rows each, whose labels may be equal: such rows are one sum.
std::unique_ptr<RandomRun> random_run(Random& random) {
  auto run = std::make_unique<RandomRun>();
  trace::Trace& trace = run->labelled.trace;
  classify::Labelled& labels = run->labelled.labelled;
  trace.details = std::make_unique<trace::OperationDetails>();
  const size_t names = 1 + below(random, 3);
  constexpr std::array<std::string_view, 2> texts{"a", "b"};
  labels.dimensions.resize(1);
  std::vector<size_t> sum_of_row;
  for (size_t name = 0; name < names; ++name) {
    const trace::NameId id = trace.names.add(fmt::format("k{}", name), OperationKind::kernel);
    for (size_t row = 0; row < 2; ++row) {
      const std::string_view label = texts[below(random, 2)];
      labels.names.push_back(id);
      labels.dimensions[0].by_row.push_back({label, {}, true});
      if (row == 1 && labels.dimensions[0].by_row[labels.names.size() - 2].label == label) {
        sum_of_row.push_back(sum_of_row.back());
        continue;
      }
      sum_of_row.push_back(run->sums.names.size());
      analyze::NameSum sum;
      sum.name = fmt::format("k{}", name);
      sum.labels.push_back({std::string(label), {}, true});
      run->sums.names.push_back(sum);
    }
  }
  const size_t operations = below(random, 60);
  for (size_t i = 0; i < operations; ++i) {
    const auto row = static_cast<uint32_t>(below(random, labels.names.size()));
    const auto duration = static_cast<int64_t>(below(random, 1000));
    trace.operations.push_back({0, duration, labels.names[row], {}});
    labels.row_of.push_back(row);
    const Shape shape = random_shape(random);
    trace::OperationDetail detail;
    for (size_t axis = 0; axis < 3; ++axis) {
      const auto set = [&](DetailField first, uint32_t size) {
        const auto field = static_cast<DetailField>(static_cast<size_t>(first) + axis);
        if (size > 0) detail[field] = size;
      };
      set(DetailField::grid_x, shape.grid[axis]);
      set(DetailField::block_x, shape.block[axis]);
    }
    // Details that differ elsewhere have one shape, too.
    detail[DetailField::graph_node] = static_cast<int64_t>(below(random, 3));
    trace.details->detail_of.push_back(trace.details->distinct.add(detail));
    run->shapes.push_back(shape);
    run->sum_of.push_back(sum_of_row[row]);
    analyze::NameSum& sum = run->sums.names[run->sum_of.back()];
    ++sum.instances;
    sum.total_ns += duration;
  }
  return run;
}

std::vector<ncu::MeasuredKernel> random_kernels(Random& random) {
  std::vector<ncu::MeasuredKernel> kernels(1 + below(random, 8));
  const bool timed = below(random, 4) > 0;
  for (ncu::MeasuredKernel& kernel : kernels) {
    const Shape shape = random_shape(random);
    kernel.grid = shape.grid;
    kernel.block = shape.block;
    kernel.instances = static_cast<int64_t>(1 + below(random, 4));
    if (timed && below(random, 4) > 0) kernel.duration_ns = static_cast<int64_t>(below(random, 99));
  }
  return kernels;
}

/// The parts of kernels in a time that they have together.
std::vector<double> parts_of(const std::vector<ncu::MeasuredKernel>& kernels,
                             const std::vector<uint32_t>& some) {
  std::vector<double> weights(kernels.size());
  double all = 0;
  for (const bool timed : {true, false}) {
    for (const uint32_t kernel : some) {
      const auto weight =
          timed ? kernels[kernel].duration_ns.value_or(0) : kernels[kernel].instances;
      weights[kernel] = static_cast<double>(weight);
      all += weights[kernel];
    }
    if (all > 0) break;
  }
  for (double& weight : weights) weight /= all;
  return weights;
}

}  // namespace

TEST_CASE("each operation is the kernels of its grid and block, or all of its name") {
  Random random(17);
  size_t exact = 0, rest = 0, without = 0;
  // Instances count as soon as one kernel has no duration: found in round 6.
  for (uint64_t round = 0; round < rounds(1500, 6); ++round) {
    CAPTURE(round);
    const std::unique_ptr<RandomRun> run = random_run(random);
    const std::vector<ncu::MeasuredKernel> kernels = random_kernels(random);
    std::vector<uint32_t> measured;
    for (uint32_t i = 0; i < kernels.size(); ++i) {
      if (measured.empty() || below(random, 4) > 0) measured.push_back(i);
    }
    const auto shapes = ncu::shapes_of(run->sums, run->labelled);
    REQUIRE(shapes.size() == run->sums.names.size());
    for (size_t name = 0; name < run->sums.names.size(); ++name) {
      const analyze::NameSum& sum = run->sums.names[name];
      std::vector<double> want(kernels.size());
      std::vector<bool> has_time(kernels.size());
      ncu::FoundPart by_shape, by_name;
      for (size_t i = 0; i < run->shapes.size(); ++i) {
        if (run->sum_of[i] != name) continue;
        std::vector<uint32_t> same;
        for (const uint32_t kernel : measured) {
          const Shape shape{kernels[kernel].grid, kernels[kernel].block};
          if (run->shapes[i].is_whole() && run->shapes[i] == shape) same.push_back(kernel);
        }
        const int64_t duration = run->labelled.trace.operations[i].duration_ns;
        ncu::FoundPart& part = same.empty() ? by_name : by_shape;
        ++part.instances;
        part.total_ns += duration;
        const std::vector<uint32_t>& among = same.empty() ? measured : same;
        const std::vector<double> parts = parts_of(kernels, among);
        for (const uint32_t kernel : among) {
          want[kernel] += parts[kernel] * static_cast<double>(duration);
          has_time[kernel] = true;
        }
      }
      const ncu::DividedTime got = ncu::divide_time(sum, shapes[name], measured, kernels);
      CHECK(got.by_shape.instances == by_shape.instances);
      CHECK(got.by_shape.total_ns == by_shape.total_ns);
      CHECK(got.by_name.instances == by_name.instances);
      CHECK(got.by_name.total_ns == by_name.total_ns);
      exact += static_cast<size_t>(by_shape.instances);
      rest += static_cast<size_t>(by_name.instances);
      if (sum.instances == 0) continue;
      int64_t all = 0;
      std::vector<bool> has_share(kernels.size());
      for (const ncu::TimeShare& share : got.shares) {
        all += share.time_ns;
        CHECK_FALSE(has_share[share.kernel]);
        has_share[share.kernel] = true;
        // Each of few sums is rounded; the last kernel of each has what is left.
        CHECK(std::abs(static_cast<double>(share.time_ns) - want[share.kernel]) <= 16);
      }
      CHECK(all == sum.total_ns);
      CHECK(has_share == has_time);
      without += got.shares.size() < measured.size() ? 1 : 0;
    }
  }
  // Each way was met.
  CHECK(exact > 100);
  CHECK(rest > 100);
  CHECK(without > 10);
}

}  // namespace kr::test::ncu_divide_test
