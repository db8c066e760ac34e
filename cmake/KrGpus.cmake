# stdlib/gpus.tsv as a text in kr_ncu.
set(gpus ${PROJECT_SOURCE_DIR}/stdlib/gpus.tsv)
set(gpus_source ${CMAKE_CURRENT_BINARY_DIR}/gpus_text.cpp)
add_custom_command(
  OUTPUT ${gpus_source}
  COMMAND ${CMAKE_COMMAND} -DTEXT=${gpus} -DOUT=${gpus_source} -P ${PROJECT_SOURCE_DIR}/cmake/embed_gpus.cmake
  DEPENDS ${gpus} ${PROJECT_SOURCE_DIR}/cmake/embed_gpus.cmake
  COMMENT "Embedding the data sheets of GPUs"
  VERBATIM)
target_sources(kr_ncu PRIVATE ${gpus_source})
