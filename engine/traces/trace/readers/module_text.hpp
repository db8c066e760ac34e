// Texts of ranges that name a module of a model, as the hooks of engines write them:
//
//   nn.Module: LlamaModel_0                                  torch.profiler.record_function
//   {'Module': 'model.layers.0.mlp', 'Inputs': [[1, 4096]]}  the layer-wise NVTX hooks of vLLM
//                                                            (--enable-layerwise-nvtx-tracing),
//                                                            SGLang
//                                                            (--enable-layerwise-nvtx-marker) and
//                                                            TensorRT-LLM: a printed Python
//                                                            dictionary; JSON, too
#pragma once

#include <string>
#include <string_view>

#include "base/op_arguments.hpp"

namespace kr::trace {

/// Whether `module_of_text` is worth calling.
inline bool may_name_module(std::string_view text) noexcept {
  return !text.empty() && (text.front() == '{' || text.starts_with("nn.Module: "));
}

/// The module's dotted path, or its class; empty: the text names none. Of vLLM's ranges around
/// compiled modules, `Torch Compiled Module (input):LlamaModel`, the class.
std::string module_of_text(std::string_view text);

/// The shapes in a dictionary: of the parameters `weight` and `bias` (`TrainableParams`; of
/// kind unknown if there are none), then of the `Inputs`. No types are recorded. Empty: it has no
/// inputs.
OpArguments module_arguments(std::string_view text);

}  // namespace kr::trace
