# cmake -D<PAGE>_HTML=<files> -D<PAGE>_SCRIPTS=<files> -D<PAGE>_STYLES=<files>, for REPORT, TREE and ANALYSIS,
#       -DECHARTS=<file> -DFOLDER=<folder> -DOUT=<file.cpp> -P embed_page.cmake
# Joins each page's markup, scripts and styles in FOLDER and writes a source file that takes the parts in as they are, by the assembler,
# and holds the hashes by which a page's policy knows its two scripts from any other.

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

function(join files to)
  execute_process(COMMAND ${CMAKE_COMMAND} -E cat ${files} OUTPUT_FILE ${to}
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()

part(echarts ${ECHARTS})
hash_of(${ECHARTS} echarts_hash)
foreach(page report tree analysis)
  string(TOUPPER ${page} given)
  set(html ${FOLDER}/${page}.html)
  set(script ${FOLDER}/${page}.js)
  set(style ${FOLDER}/${page}.css)
  join("${${given}_HTML}" ${html})
  join("${${given}_SCRIPTS}" ${script})
  join("${${given}_STYLES}" ${style})
  part(${page}_html ${html})
  part(${page}_style ${style})
  part(${page}_script ${script})
  hash_of(${script} script_hash)
  string(APPEND pages "
const PageParts ${page}_page{
    .html = ${view_${page}_html},
    .style = ${view_${page}_style},
    .script = ${view_${page}_script},
    .echarts = ${view_echarts},
    .script_hash = \"${script_hash}\",
    .echarts_hash = \"${echarts_hash}\",
};
")
endforeach()

file(WRITE ${OUT} "// Made by cmake/embed_page.cmake.
#include \"report/page_parts.hpp\"
${parts}
namespace kr {
${pages}
}  // namespace kr
")
