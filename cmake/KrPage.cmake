# The report's page as bytes in kr_report: engine/report/page/* and ECharts, whose version the lock
# file there pins. ECharts comes from the folder KR_ECHARTS_DIR or, once a build folder, from npm.
set(page ${PROJECT_SOURCE_DIR}/engine/report/page)
set(page_build ${PROJECT_BINARY_DIR}/page)
file(MAKE_DIRECTORY ${page_build})

if(KR_ECHARTS_DIR)
  set(echarts ${KR_ECHARTS_DIR}/echarts.min.js)
  if(NOT EXISTS ${echarts})
    message(FATAL_ERROR "KR_ECHARTS_DIR: there is no ${echarts}")
  endif()
else()
  find_program(KR_NPM npm)
  if(NOT KR_NPM)
    message(FATAL_ERROR "the report's page is drawn with ECharts: install npm, or name a folder "
                        "that holds echarts.min.js with -DKR_ECHARTS_DIR=FOLDER")
  endif()
  set(echarts ${page_build}/echarts.min.js)
  add_custom_command(
    OUTPUT ${echarts}
    COMMAND ${CMAKE_COMMAND} -DNPM=${KR_NPM} -DFROM=${page} -DTO=${page_build}
            -P ${PROJECT_SOURCE_DIR}/cmake/fetch_echarts.cmake
    DEPENDS ${page}/package.json ${page}/package-lock.json
            ${PROJECT_SOURCE_DIR}/cmake/fetch_echarts.cmake
    COMMENT "Fetching ECharts with npm"
    VERBATIM)
endif()

# In the order in which they need each other; the page has them as one script.
set(scripts numbers dom model state chart pivot kernels devices facts page)
list(TRANSFORM scripts REPLACE "(.+)" "${page}/\\1.js")
set(script ${page_build}/page.js)
set(parts ${page}/page.html ${page}/page.css ${scripts} ${echarts})
add_custom_command(
  OUTPUT ${page_build}/page_parts.cpp ${script}
  COMMAND ${CMAKE_COMMAND} "-DSCRIPTS=${scripts}" -DSCRIPT=${script} -DPAGE=${page}
          -DECHARTS=${echarts} -DOUT=${page_build}/page_parts.cpp
          -P ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  DEPENDS ${parts} ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  COMMENT "Embedding the report's page"
  VERBATIM)
set_source_files_properties(${page_build}/page_parts.cpp PROPERTIES OBJECT_DEPENDS "${parts}")
target_sources(kr_report PRIVATE ${page_build}/page_parts.cpp)
target_compile_definitions(kr_report PRIVATE KR_VERSION="${PROJECT_VERSION}")
