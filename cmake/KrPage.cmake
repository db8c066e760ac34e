# The pages of reports, trees and differences as bytes in kr_page: engine/answers/page/web/* and ECharts, whose
# version the lock file there pins. ECharts comes from the folder KR_ECHARTS_DIR or, once a build folder, from npm.
set(page ${PROJECT_SOURCE_DIR}/engine/answers/page/web)
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
                        "that contains echarts.min.js with -DKR_ECHARTS_DIR=FOLDER")
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

# In the order in which they need each other. All pages have the shell; each has scripts and styles of its own.
set(shell_scripts numbers dom colors look shell table chart results cards devices steps roofline efficiency heat)
set(report_scripts model pivot bars kernels timeline ranks launches facts page)
set(tree_scripts model state bars icicle table page)
set(diff_scripts model page)
set(tables_scripts page)
list(TRANSFORM shell_scripts REPLACE "(.+)" "${page}/\\1.js")
foreach(name report tree diff tables)
  list(TRANSFORM ${name}_scripts REPLACE "(.+)" "${page}/${name}/\\1.js")
endforeach()
set(shell_styles ${page}/page.css ${page}/roofline.css ${page}/efficiency.css ${page}/heat.css)
set(report_styles ${page}/report/timeline.css)
set(tree_styles ${page}/tree/tree.css)
set(diff_styles ${page}/diff/diff.css)
set(parts ${page}/shell.html ${shell_styles} ${shell_scripts} ${report_scripts} ${tree_scripts}
          ${diff_scripts} ${tables_scripts} ${report_styles} ${tree_styles} ${diff_styles} ${echarts})
add_custom_command(
  OUTPUT ${page_build}/page_parts.cpp
  COMMAND ${CMAKE_COMMAND}
          "-DSHELL_HTML=${page}/shell.html" "-DSHELL_SCRIPTS=${shell_scripts}"
          "-DSHELL_STYLES=${shell_styles}"
          "-DREPORT_SCRIPTS=${report_scripts}" "-DREPORT_STYLES=${report_styles}"
          "-DTREE_SCRIPTS=${tree_scripts}" "-DTREE_STYLES=${tree_styles}"
          "-DDIFF_SCRIPTS=${diff_scripts}" "-DDIFF_STYLES=${diff_styles}"
          "-DTABLES_SCRIPTS=${tables_scripts}" "-DTABLES_STYLES="
          -DECHARTS=${echarts} -DFOLDER=${page_build} -DOUT=${page_build}/page_parts.cpp
          -P ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  DEPENDS ${parts} ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  COMMENT "Embedding the pages"
  VERBATIM)
set_source_files_properties(${page_build}/page_parts.cpp PROPERTIES OBJECT_DEPENDS "${parts}")
target_sources(kr_page PRIVATE ${page_build}/page_parts.cpp)
target_compile_definitions(kr_page PRIVATE KR_VERSION="${PROJECT_VERSION}")
