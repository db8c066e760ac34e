// Where the sources are.
#pragma once

#include <string>

namespace kr::test {

/// The project's folder, absolute, without a slash at its end. A function: in a definition of the
/// compiler, the path would make each object of the tests another one in each checkout, and ccache
/// would find none.
std::string source_folder();

}  // namespace kr::test
