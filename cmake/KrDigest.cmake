# Writes SOURCE, which defines prover_version() as a digest of FILES. Run with cmake -P.
set(digests "")
foreach(file ${FILES})
  file(SHA256 ${file} digest)
  string(APPEND digests ${digest})
endforeach()
string(SHA256 digest "${digests}")
file(CONFIGURE OUTPUT ${SOURCE} @ONLY CONTENT [[
#include "prove/memo.hpp"

namespace kr::prove {

std::string_view prover_version() {
  return "@digest@";
}

}  // namespace kr::prove
]])
