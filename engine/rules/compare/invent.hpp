// Invents names that look like those of kernels, where no name that was seen shows a move.
#pragma once

#include "compare/seen.hpp"

namespace kr::compare {

/// A subject that makes a move, as both rulesets label it.
struct Example {
  prove::Witness witness;
  Decision before;
  Decision after;
  bool extends_seen = false;
};

class Inventor {
 public:
  /// `seen` must outlive it.
  explicit Inventor(SeenNames& seen) : seen_(seen) {}

  /// A subject that moves as `move`, whose witness is a shortest. It is a name that was seen and
  /// has one of the two labels, with the words added that it lacks; else these words joined; else
  /// the witness as it is. Kind and enclosing names are those of the witness. The witness must move
  /// as said, which is checked.
  Example example(TableOf before, TableOf after, const Move& move);

 private:
  SeenNames& seen_;
};

}  // namespace kr::compare
