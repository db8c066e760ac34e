// The order of names in typical parts of a run: what `kr diff` aligns with those of another run.
#include "analyze/sequences.hpp"

#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

void add_sequences(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const analyze::Sequence& one : run.get<analyze::Sequences>().all) {
      for (size_t place = 0; place < one.names.size(); ++place) {
        sink.row({run.summary.id, analyze::to_string(one.of), table::cell_or_nothing(one.phase),
                  static_cast<int64_t>(place), int64_t{one.names[place]}});
      }
    }
  }
}

}  // namespace

const Definition sequences_table{
    {.id = "sequences",
     .title = "sequences of names",
     .doc = "One row per operation of typical parts of a run, in order of start, of the device "
            "with most operations in the part; at most 2,048 operations of each part. `kr diff` "
            "aligns the sequences of two runs to see which name replaces which.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"part", Unit::text, Role::key,
                  "`step`: the step of median time of a phase, of up to four phases. `layers`: a "
                  "repeated block, of up to four that differ in their shape. `run`: the run from "
                  "its first operation."},
                 {"phase", Unit::text, Role::key,
                  "The phase of the step; the number of the block, from 0, by descending time.",
                  true},
                 {"place", Unit::id, Role::key, "The place of the operation, from 0."},
                 {"kernel", Unit::id, Role::measure,
                  "Its name: the place of the row among those of the run in `kernels`, from 0."}},
     .in_short_form = false},
    needs<analyze::Sequences>,
    add_sequences};

}  // namespace kr::tables
