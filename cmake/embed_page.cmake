# cmake -DSHELL_HTML=<file> -D<PART>_SCRIPTS=<files> -D<PART>_STYLES=<files>, for SHELL, REPORT, TREE, DIFF and TABLES,
#       -DECHARTS=<file> -DFOLDER=<folder> -DOUT=<file.cpp> -P embed_page.cmake
# Joins scripts and styles in FOLDER and writes a source file that takes them in as they are, by the assembler,
# and contains the hashes by which a page's policy knows its scripts from any other.

# SHA-256 of a file, in base64 as `Content-Security-Policy` wants it.
function(hash_of file result)
  file(SHA256 ${file} hex)
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  set(text "")
  foreach(at RANGE 0 59 6) # 30 bytes, three at a time; two are left
    string(SUBSTRING ${hex} ${at} 6 six)
    foreach(shift 18 12 6 0)
      math(EXPR digit "(0x${six} >> ${shift}) & 63")
      string(SUBSTRING ${alphabet} ${digit} 1 letter)
      string(APPEND text ${letter})
    endforeach()
  endforeach()
  string(SUBSTRING ${hex} 60 4 four)
  foreach(shift 10 4 -2)
    if(shift LESS 0)
      math(EXPR digit "(0x${four} << 2) & 63")
    else()
      math(EXPR digit "(0x${four} >> ${shift}) & 63")
    endif()
    string(SUBSTRING ${alphabet} ${digit} 1 letter)
    string(APPEND text ${letter})
  endforeach()
  set(${result} "sha256-${text}=" PARENT_SCOPE)
endfunction()

function(part name file)
  if("${file}" MATCHES "[\"\\\\]")
    message(FATAL_ERROR "the path ${file} cannot be embedded")
  endif()
  set(symbol kr_page_${name})
  string(APPEND parts "
asm(\".pushsection .rodata\\n.globl ${symbol}, ${symbol}_end\\n${symbol}: .incbin \\\"${file}\\\"\\n${symbol}_end:\\n.popsection\\n\");
extern \"C\" const char ${symbol}[], ${symbol}_end[];
")
  set(view_${name} "{${symbol}, static_cast<size_t>(${symbol}_end - ${symbol})}" PARENT_SCOPE)
  set(parts "${parts}" PARENT_SCOPE)
endfunction()

# Joins the files of one kind of a part. No files make an empty one.
function(join files to)
  if("${files}" STREQUAL "")
    file(WRITE ${to} "")
    return()
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -E cat ${files} OUTPUT_FILE ${to}
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()

part(echarts ${ECHARTS})
hash_of(${ECHARTS} echarts_hash)
part(html ${SHELL_HTML})
foreach(name shell report tree diff tables)
  string(TOUPPER ${name} given)
  set(script ${FOLDER}/${name}.js)
  set(style ${FOLDER}/${name}.css)
  join("${${given}_SCRIPTS}" ${script})
  join("${${given}_STYLES}" ${style})
  part(${name}_style ${style})
  part(${name}_script ${script})
  hash_of(${script} script_hash)
  set(own "    .style = ${view_${name}_style},
    .script = {${view_${name}_script}, \"${script_hash}\"},
")
  if(name STREQUAL shell)
    string(APPEND pages "
const PageShell page_shell{
    .html = ${view_html},
${own}    .echarts = {${view_echarts}, \"${echarts_hash}\"},
};
")
  else()
    string(APPEND pages "
const PageParts ${name}_page{
${own}};
")
  endif()
endforeach()

file(WRITE ${OUT} "// Made by cmake/embed_page.cmake.
#include \"page/page_parts.hpp\"
${parts}
namespace kr::page {
${pages}
}  // namespace kr::page
")
