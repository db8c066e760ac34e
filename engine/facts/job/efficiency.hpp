// Parallel efficiencies of the devices of a job, after POP and TALP: docs/efficiency.md has the
// formulas and where they come from. All are ratios of whole nanoseconds, kept as such, so that
//
//     parallel efficiency = load balance * communication efficiency * orchestration efficiency
//
// is exact. Nothing here knows of traces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kr::job {

__extension__ using Wide = __int128;

/// Whether communication kernels are useful work, as TALP has it, or communication, as
/// BasicAnalysis of BSC has it.
enum class Nccl : uint8_t { useful, communication };
inline constexpr std::array nccl_readings{Nccl::useful, Nccl::communication};
/// `useful`, `communication`.
const char* to_string(Nccl reading) noexcept;
/// `useful`, `communication` or `both`. Throws Error, which calls it `option`.
std::vector<Nccl> named_readings(const std::string& name, const std::string& option);

/// One number by reading.
struct ByReading {
  int64_t useful = 0;
  int64_t communication = 0;

  int64_t operator[](Nccl reading) const noexcept {
    return reading == Nccl::useful ? useful : communication;
  }
  friend bool operator==(const ByReading&, const ByReading&) = default;
};

/// An exact ratio of numbers that are not negative. Two efficiencies multiply to 128 bits.
struct Ratio {
  Wide part;
  Wide whole;  // above 0

  double value() const noexcept {
    return static_cast<double>(static_cast<long double>(part) / static_cast<long double>(whole));
  }
};

/// What a device of a run did in a scope: in all of the run, or in one step.
struct DevicePart {
  size_t run = 0;
  int32_t device = 0;
  // First start and last end of its operations, on the clock of the run.
  int64_t first_ns = 0;
  int64_t last_ns = 0;
  ByReading useful_ns;    // of the union of useful kernels
  int64_t active_ns = 0;  // of the union of all operations
};

/// By run of a job: what is to be added to its times to have those of the job; nullopt: unknown.
using Shifts = std::vector<std::optional<int64_t>>;

/// The shifts as they are if by them the runs have a time in common, else none: whatever the clocks
/// of the runs count from, it is not the same. `whole`: all devices of all runs.
Shifts agreeing_shifts(Shifts shifts, std::span<const DevicePart> whole);

/// From the first start to the last end, if the clocks of the runs tell; else the longest span of a
/// run.
struct Elapsed {
  int64_t ns = 0;
  bool one_clock = true;
};
Elapsed elapsed_of(std::span<const DevicePart> parts, const Shifts& shifts);

/// The sums of a scope. Ratios are nullopt where they would be 0/0.
struct Efficiency {
  int64_t devices = 0;  // that have operations
  int64_t elapsed_ns = 0;
  bool one_clock = true;
  ByReading useful_ns;      // of all devices
  ByReading max_useful_ns;  // of one
  int64_t max_active_ns = 0;

  std::optional<Ratio> parallel(Nccl reading) const noexcept;
  std::optional<Ratio> load_balance(Nccl reading) const noexcept;
  std::optional<Ratio> communication(Nccl reading) const noexcept;
  std::optional<Ratio> orchestration() const noexcept;
};

/// Of one scope, or of several occurrences of one, such as the steps of a phase: their times are
/// added, by device, and so are the elapsed times. Throws Error if a sum overflows.
Efficiency efficiency_of(std::span<const std::vector<DevicePart>> occurrences,
                         const Shifts& shifts);

/// Strong: the whole problem stays the same. Weak: that of each device does.
enum class Scaling : uint8_t { strong, weak };
/// `strong`, `weak`.
const char* to_string(Scaling scaling) noexcept;
/// Throws Error, which calls it `option`.
Scaling named_scaling(const std::string& name, const std::string& option);

/// Of a job against a reference. Exactly, with N0 and N devices and E0 and E elapsed:
///
///     global efficiency / parallel efficiency of the reference = E0*N0 / (E*N) strong, E0/E weak
struct Scalability {
  std::optional<Ratio> computation;
  std::optional<Ratio> global;  // parallel efficiency * computation scalability
  std::optional<Ratio> speedup;
};
Scalability scalability_of(const Efficiency& reference, const Efficiency& job, Nccl reading,
                           Scaling scaling) noexcept;

/// The parts of labels in the parallel efficiency: they add up to it.
struct LabelUse {
  int64_t useful_ns = 0;      // of all devices
  int64_t max_useful_ns = 0;  // of one
  /// Of the parallel efficiency of `scope`.
  std::optional<Ratio> part(const Efficiency& scope) const noexcept;
  std::optional<Ratio> load_balance(const Efficiency& scope) const noexcept;
};

}  // namespace kr::job
