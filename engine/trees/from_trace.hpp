// The operations of a trace as module trees: one forest per step, with kernels below the modules
// that enclose their launches.
#pragma once

#include "classify/attribution.hpp"
#include "trace/module_trace.hpp"

namespace kr::trees {

/// A step's key is its annotation. Operations outside steps come last, as `(outside steps)`;
/// without any steps, the whole trace is one step `trace`. Operations of one name under one module
/// are one leaf, with its instances as invocations. The invocations of a module are its calls that
/// launched something. If the kernels of a graph launch repeat, they are in nodes `layer 0`, `layer
/// 1`, …. Operations without a known launch are roots.
trace::ModuleTrace modules_of(const trace::Trace& trace, const classify::Attribution& attribution);

}  // namespace kr::trees
