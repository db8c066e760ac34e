# The pages of reports, trees and analyses as bytes in kr_report: engine/report/page/* and ECharts, whose
# version the lock file there pins. ECharts comes from the folder KR_ECHARTS_DIR or, once a build folder, from npm.
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
    message(FATAL_ERROR "pages are drawn with ECharts: install npm, or name a folder "
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

# In the order in which they need each other; a page has them as one script.
set(report_scripts numbers dom look model state chart pivot kernels devices ranks facts page)
set(tree_scripts numbers dom look tree/model tree/state tree/bars tree/icicle tree/table tree/page)
set(analysis_scripts numbers dom look analysis/model devices analysis/table analysis/cards
                     analysis/ranks analysis/steps analysis/page)
list(TRANSFORM report_scripts REPLACE "(.+)" "${page}/\\1.js")
list(TRANSFORM tree_scripts REPLACE "(.+)" "${page}/\\1.js")
list(TRANSFORM analysis_scripts REPLACE "(.+)" "${page}/\\1.js")
set(report_styles ${page}/page.css)
set(tree_styles ${page}/page.css ${page}/tree/tree.css)
set(analysis_styles ${page}/page.css ${page}/analysis/analysis.css)
# Every page opens and closes alike.
foreach(name page tree/tree analysis/analysis)
  get_filename_component(word ${name} NAME)
  set(${word}_html ${page}/opening.html ${page}/${name}.html ${page}/closing.html)
endforeach()
set(parts ${page_html} ${tree_html} ${analysis_html} ${report_scripts} ${tree_scripts} ${analysis_scripts}
          ${tree_styles} ${analysis_styles} ${echarts})
add_custom_command(
  OUTPUT ${page_build}/page_parts.cpp
  COMMAND ${CMAKE_COMMAND}
          "-DREPORT_HTML=${page_html}" "-DREPORT_SCRIPTS=${report_scripts}"
          "-DREPORT_STYLES=${report_styles}"
          "-DTREE_HTML=${tree_html}" "-DTREE_SCRIPTS=${tree_scripts}"
          "-DTREE_STYLES=${tree_styles}"
          "-DANALYSIS_HTML=${analysis_html}" "-DANALYSIS_SCRIPTS=${analysis_scripts}"
          "-DANALYSIS_STYLES=${analysis_styles}"
          -DECHARTS=${echarts} -DFOLDER=${page_build} -DOUT=${page_build}/page_parts.cpp
          -P ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  DEPENDS ${parts} ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  COMMENT "Embedding the pages"
  VERBATIM)
set_source_files_properties(${page_build}/page_parts.cpp PROPERTIES OBJECT_DEPENDS "${parts}")
target_sources(kr_report PRIVATE ${page_build}/page_parts.cpp)
target_compile_definitions(kr_report PRIVATE KR_VERSION="${PROJECT_VERSION}")
