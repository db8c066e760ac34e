# cmake -DCHECKS=<folder> -DOUT=<file.cpp> -P embed_checks.cmake
# Writes a source file that contains every page KR*.md of the folder as a raw string.
file(GLOB pages ${CHECKS}/KR*.md)
list(SORT pages)
set(rows "")
foreach(page IN LISTS pages)
  get_filename_component(name ${page} NAME)
  file(READ ${page} text)
  if("${text}" MATCHES "\\)kr_page\"")
    message(FATAL_ERROR "${page} contains what ends a raw string here")
  endif()
  string(APPEND rows "    {\"${name}\", R\"kr_page(${text})kr_page\"},\n")
endforeach()
file(WRITE ${OUT} "// Made by cmake/embed_checks.cmake.
#include \"explain/embedded_pages.hpp\"

namespace kr::explain {

std::span<const EmbeddedPage> embedded_pages() {
  static constexpr EmbeddedPage pages[] = {
${rows}  };
  return pages;
}

}  // namespace kr::explain
")
