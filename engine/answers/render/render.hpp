// Tables in output formats; a public header, see there.
#pragma once

#include "kr/render.hpp"  // IWYU pragma: export
