// The run as the context of a module trace describes it, for the head of a picture or page.
#pragma once

#include <string>
#include <vector>

#include "trace/module_trace.hpp"

namespace kr::picture {

/// The model as the context names it; else the source.
std::string tree_subject(const trace::ModuleTrace& trace);

/// `batch 32`, `prompt 512 tokens`, `output 128 tokens`, `4 GPUs`, `sparsity 2:4`, `run of 12
/// steps` or `8 requests done a step`: as far as known, in this order. Both forms of the context,
/// flat and with `engine_args`.
std::vector<std::string> tree_facts(const trace::ModuleTrace& trace);

}  // namespace kr::picture
