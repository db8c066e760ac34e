// What a table is; a public header, see there.
#pragma once

#include "kr/table.hpp"  // IWYU pragma: export
