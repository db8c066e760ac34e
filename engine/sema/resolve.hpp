// Parsed files to a Program.
#pragma once

#include <vector>

#include "sema/program.hpp"
#include "sema/scope.hpp"

namespace kr::sema {

/// `modules` by FileId; `kind` is that of std.kind. What is wrong goes to the sink; the Program is
/// then not to be used.
Program resolve(const source::SourceMap& sources, const std::vector<Module>& modules,
                source::FileId kind, diag::Sink& sink);

/// Adds the tests of root files. Those of files that are only used speak of engines that the
/// Program does not offer; they are for when the file is a root.
void resolve_tests(const std::vector<Module>& modules, Program& program, diag::Sink& sink);

}  // namespace kr::sema
