// What limits the results of runs, as rows of the table `notes`.
#pragma once

#include <string>
#include <vector>

#include "base/warning.hpp"
#include "kr/run.hpp"
#include "trace/trace.hpp"

namespace kr::tables {

using Note = RunNote;

/// What is to be known of a run: dropped records, inexact times, warnings.
std::vector<Note> notes_of(const std::string& run,
                           const std::vector<trace::DroppedRecords>& dropped,
                           const std::string& inexact, const std::vector<Warning>& warnings);

struct Source;
/// Those of all runs, then those of the results: what the table `notes` has.
std::vector<Note> all_notes(const Source& source);
/// What the other results do not show: omitted groups, omitted time, an incomplete proof.
std::vector<Note> result_notes(const Source& source);
/// Why several runs are not compared as ranks, or not in all they have; what their
/// collectives show.
std::vector<Note> rank_notes(const Source& source);
/// What decides the time in collectives, and its evidence, as one sentence; empty: no collective
/// is compared.
std::string collective_headline(const Source& source);

}  // namespace kr::tables
