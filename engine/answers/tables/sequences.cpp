// The order of names in typical parts of a run: what `kr diff` aligns with those of another run.
#include "analyze/sequences.hpp"

#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::Sequence;

struct SequenceRow : Parts<Run, Sequence> {
  size_t place;
};

void add_sequences(const Source& source, Rows<SequenceRow>& rows) {
  for (const Run& run : source.runs) {
    for (const Sequence& one : run.get<analyze::Sequences>().all) {
      for (size_t place = 0; place < one.names.size(); ++place) {
        rows.add({{run, one}, place});
      }
    }
  }
}

}  // namespace

const Definition sequences_table = TableOf<SequenceRow>{
    {.id = "sequences",
     .title = "sequences of names",
     .doc = "One row per operation of typical parts of a run, in order of start, of the device "
            "with most operations in the part; at most 2,048 operations of each part. `kr diff` "
            "aligns the sequences of two runs to see which name replaces which.",
     .columns = {run_column,
                 {"part", Unit::text, Role::key,
                  "`step`: the step of median time of a phase, of up to four phases. `layers`: a "
                  "repeated block, of up to four that differ in their shape. `run`: the run from "
                  "its first operation.",
                  &Sequence::of},
                 {"phase", Unit::text, Role::key,
                  "The phase of the step; the number of the block, from 0, by descending time.",
                  &Sequence::phase, optional},
                 {"place", Unit::id, Role::key, "The place of the operation, from 0.",
                  &SequenceRow::place},
                 {"kernel", Unit::id, Role::measure,
                  "Its name: the place of the row among those of the run in `kernels`, from 0.",
                  [](const SequenceRow& row) {
                    return int64_t{row.of<Sequence>().names[row.place]};
                  }}},
     .in_short_form = false},
    needs<analyze::Sequences>,
    add_sequences};

}  // namespace kr::tables
