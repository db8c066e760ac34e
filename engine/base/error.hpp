// What the world does wrong: a missing file, a broken trace, a full disk. Thrown where it is met,
// caught once by the caller of the library: `main` prints it and exits with 2.
#pragma once

#include "kr/error.hpp"  // IWYU pragma: export
