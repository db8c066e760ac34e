// Steps, model load and idle time in the operations of one device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyze/found_phases.hpp"
#include "analyze/operation_traits.hpp"
#include "analyze/phase_rules.hpp"
#include "analyze/step_finder.hpp"

namespace kr::analyze {

/// What a phase of a device is made of.
struct PhaseShare {
  int64_t stretches = 0;
  int64_t instances = 0;
  int64_t total_ns = 0;
  int64_t busy_ns = 0;
  int64_t span_ns = 0;
};

struct DevicePhases {
  std::vector<FoundPhase> phase_of;  // by operation of the device
  std::vector<bool> in_step;         // by operation of the device
  std::vector<FoundStep> steps;
  std::array<PhaseShare, found_phase_count> shares;
  PhaseVerdict verdict;
  Boundary boundary = Boundary::none;
  double bounded = 0;
  int64_t idle_gap_ns = 0;  // gaps from here on are idle
  int64_t idle_gaps = 0;
  int64_t load_copies = 0;  // from the host, of model load
  int64_t load_copies_ns = 0;
  int64_t load_bytes = 0;     // of these copies; 0: sizes were not read
  bool load_is_first = true;  // before all steps
};

/// `operations`: those of one device, by start, as places in the trace.
DevicePhases find_device_phases(const LabelledTrace& run, std::span<const uint32_t> operations,
                                std::span<const OperationTraits> traits);

}  // namespace kr::analyze
