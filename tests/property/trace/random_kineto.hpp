// PyTorch traces at random, with everything that one may hold.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/pieces.hpp"

namespace kr::test {

using Members = std::vector<std::pair<std::string, std::string>>;  // a key and a value as written

/// Events and what stands round them, which may be put in another order.
struct RandomKineto {
  bool list = false;
  std::vector<std::string> events;
  Members around;
  size_t before = 0;  // of `around`

  /// The file, spelled at random.
  std::string text(Random& random) const;
};

RandomKineto random_kineto(Random& random);

}  // namespace kr::test
