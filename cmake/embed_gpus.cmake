# cmake -DTEXT=<gpus.tsv> -DOUT=<file.cpp> -P embed_gpus.cmake
# Writes a source file that contains the text as a raw string.
file(READ ${TEXT} text)
if("${text}" MATCHES "\\)kr_gpus\"")
  message(FATAL_ERROR "${TEXT} contains what ends a raw string here")
endif()
file(WRITE ${OUT} "// Made by cmake/embed_gpus.cmake.
#include \"ncu/gpus_text.hpp\"

namespace kr::ncu {

const std::string_view gpus_text = R\"kr_gpus(${text})kr_gpus\";

}  // namespace kr::ncu
")
