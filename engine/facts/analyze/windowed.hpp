// A run reduced to a window (trace/window.hpp). Definitions:
//
// - An operation is in a step, and in a phase, if the annotation of the step, or of a step inside
//   it, encloses its launch (classify/attribution.hpp). `--steps` names steps by `step_id`.
// - It is within a range if the range encloses its launch: on its thread, or, if its thread has no
//   such range, on any thread of the process.
// - It is between two times if it starts between them.
// - Warm-up: the steps of the finding `warm-up` (analyze/health.hpp). Outside are their operations,
//   and those of no step that start before the last of them.
// - Steady: of the steps that no other encloses, in order, without those of warm-up and those
//   without operations: the longest stretch in which each step has the phase, the batch, the tokens
//   and, stream by stream, the kernels of the step `period` before it, at least two periods long;
//   of equal ones the first, with the least period, which is at most 8.
#pragma once

#include "analyze/run.hpp"
#include "trace/reduce.hpp"
#include "trace/window.hpp"

namespace kr::analyze {

struct Inside {
  trace::Kept kept;
  Warning note;  // what is inside, and why
};

/// The operations of a labelled run, with its host trace if the window needs it, that are inside.
/// Throws Error if there are none, or the run does not have what the window names; it says what
/// there is.
Inside find_inside(const match::CompiledRules& rules, const LabelledTrace& run,
                   const trace::Window& window);

/// The code of its note, for those who show notes.
inline constexpr std::string_view window_note = "window";

}  // namespace kr::analyze
