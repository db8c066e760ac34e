// Operations of a trace as module trees: a step a forest, kernels below the modules that their
// launches stand in.
#pragma once

#include "classify/attribution.hpp"
#include "trace/module_trace.hpp"

namespace kr::trees {

/// A step's key is its annotation; what is in none comes last as `(outside steps)`, and the whole
/// trace is one step `trace` where there are none. Operations of one name under one module are one
/// leaf, invocations its instances; those of a module are the calls of it that launched something.
/// Below what launches a graph stand layers, `layer 0` and on, where its kernels repeat; above
/// operations that no launch is known of stands nothing.
trace::ModuleTrace modules_of(const trace::Trace& trace, const classify::Attribution& attribution);

}  // namespace kr::trees
