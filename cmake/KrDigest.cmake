# Writes SOURCE, which defines the function NAME of HEADER in the namespace kr::MODULE: a digest of FILES and of VERSION.
# Run with cmake -P.
set(digests "${VERSION}")
foreach(file ${FILES})
  file(SHA256 ${file} digest)
  string(APPEND digests ${digest})
endforeach()
string(SHA256 digest "${digests}")
file(CONFIGURE OUTPUT ${SOURCE} @ONLY CONTENT [[
#include "@HEADER@"

namespace kr::@MODULE@ {

std::string_view @NAME@() {
  return "@digest@";
}

}  // namespace kr::@MODULE@
]])
