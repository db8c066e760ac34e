#pragma once

#include <string_view>

namespace kr::ncu {

/// The content of `stdlib/gpus.tsv` (cmake/KrGpus.cmake).
extern const std::string_view gpus_text;

}  // namespace kr::ncu
