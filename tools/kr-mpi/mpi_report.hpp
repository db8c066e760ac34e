// What main.cpp and the verb of kr-mpi know of each other.
#pragma once

#include <cstddef>

#include "verb.hpp"

namespace kr::mpi {

extern const cli::Verb report_verb;

/// Sets the numbers that a message about a signal shows.
void note_process(size_t number, size_t count);

}  // namespace kr::mpi
