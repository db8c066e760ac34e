// Dimensions about some operations, such as `collective`: all others are sema::none_label.
#pragma once

#include "sema/program.hpp"

namespace kr::sema {

/// Whether a rule of the table gives that label.
bool is_about_some(const Program& program, const Table& table);

}  // namespace kr::sema
