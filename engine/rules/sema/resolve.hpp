// Resolves parsed files to a Program.
#pragma once

#include <vector>

#include "sema/program.hpp"
#include "sema/scope.hpp"

namespace kr::sema {

/// `kind` is the file of std.kind. After an error in the sink the Program must
/// not be used.
Program resolve(const source::SourceMap& sources, const Scope& scope, source::FileId kind,
                diag::Sink& sink);

/// Adds the tests of root files. Tests of other files are for engines that the Program does not
/// have.
void resolve_tests(const std::vector<Module>& modules, Program& program, diag::Sink& sink);

/// Removes what neither models nor declarations of root files use: the scanner would search for
/// atoms of unused patterns, tables and models. `dimensions` are the names of the DimensionIds of
/// `program`; in the result they are in its own `dimensions`.
Program pruned(Program program, const std::vector<std::string>& dimensions);

}  // namespace kr::sema
