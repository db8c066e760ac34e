// What the metrics of ncu measure: names of sections and metrics in one list.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kr::ncu {

/// What formulas take. `per_precision` of them for half, single and double precision, then others.
enum class Input : uint8_t {
  add,  // operations per cycle
  mul,
  fma,
  clock,
  add_sum,  // operations
  mul_sum,
  fma_sum,
  peak,  // operations per cycle
  peak_clock,
  dram_peak,  // bytes per cycle
  dram_peak_clock,
  dram_rate,
  per_precision,
};
constexpr size_t precisions = 3;
enum class Other : uint8_t {
  compute,
  memory,
  dram,
  l1,
  l2,
  sm_hz,
  dram_hz,
  dram_read,
  dram_write,
  dram_bytes,
  dram_rate,
  l2_bytes,
  l2_rate,
  l2_peak,
  l2_clock,
  l1_hit,
  l2_hit,
  ipc,
  theoretical_occupancy,
  achieved_occupancy,
  registers,
  static_shared,
  dynamic_shared,
  waves,
  limit_registers,
  limit_shared,
  limit_warps,
  limit_blocks,
  limit_barriers,
  count,
};
constexpr size_t place_of(size_t precision, Input input) {
  return precision * static_cast<size_t>(Input::per_precision) + static_cast<size_t>(input);
}
constexpr size_t place_of(Other other) {
  return precisions * static_cast<size_t>(Input::per_precision) + static_cast<size_t>(other);
}
constexpr size_t input_count = place_of(Other::count);

/// One way in which pages have an input. Earlier ones of a list are preferred.
struct Source {
  size_t place;
  std::string name;
  std::string_view units;    // base units that it may have, `|` between; no unit is right, too
  double factor = 1;         // in this unit to that of the input
  std::string section = {};  // empty: any
  std::string item = {};     // empty: any
};

std::span<const Source> sources();

/// Whether it is one of `units`, or none.
bool is_unit_of(std::string_view unit, std::string_view units);

}  // namespace kr::ncu
