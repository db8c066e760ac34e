// Diagnostics as text for a person. (Machine formats are renderers of their own beside this one.)
#pragma once

#include <span>
#include <string>

#include "diag/diagnostic.hpp"

namespace kr::diag {

struct RenderOptions {
  bool color = false;
};

/// One diagnostic with its source line, carets, the other party and the help:
///
///   error KR204 unknown-label: `gem` is not a label of `substage`
///     --> rulesets/mine.kr:12:5
///      |
///   12 |     gem: "gemm"
///      |     ^^^
///   note: labels of `substage`
///     --> …
///   help: did you mean `gemm`?
std::string render_human(const source::SourceMap& sources, const Diagnostic& diagnostic,
                         RenderOptions options = {});
std::string render_human(const source::SourceMap& sources, std::span<const Diagnostic> diagnostics,
                         RenderOptions options = {});

}  // namespace kr::diag
