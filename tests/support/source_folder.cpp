#include "support/source_folder.hpp"

namespace kr::test {

std::string source_folder() {
  return KR_SOURCE_DIR;
}

}  // namespace kr::test
