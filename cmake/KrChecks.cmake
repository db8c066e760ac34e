# The pages of docs/checks as texts in kr_explain.
set(checks ${PROJECT_SOURCE_DIR}/docs/checks)
file(GLOB check_pages CONFIGURE_DEPENDS ${checks}/KR*.md)
set(check_build ${PROJECT_BINARY_DIR}/checks)
file(MAKE_DIRECTORY ${check_build})
add_custom_command(
  OUTPUT ${check_build}/embedded_pages.cpp
  COMMAND ${CMAKE_COMMAND} -DCHECKS=${checks} -DOUT=${check_build}/embedded_pages.cpp
          -P ${PROJECT_SOURCE_DIR}/cmake/embed_checks.cmake
  DEPENDS ${check_pages} ${PROJECT_SOURCE_DIR}/cmake/embed_checks.cmake
  COMMENT "Embedding the pages of the checks"
  VERBATIM)
target_sources(kr_explain PRIVATE ${check_build}/embedded_pages.cpp)
