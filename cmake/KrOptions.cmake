# What every target of the project is built with.
add_library(kr_options INTERFACE)
target_compile_options(kr_options INTERFACE -Wall -Wextra -Wconversion -Werror)
# GCC 12 warns falsely of std::string's operator+ (its bug 105651).
target_compile_options(kr_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(KR_UNITY)
  # GCC takes a source that another one includes for a header, which should have no anonymous namespace.
  target_compile_options(kr_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
if(KR_SANITIZE)
  target_compile_options(kr_options INTERFACE -fsanitize=${KR_SANITIZE} -fno-sanitize-recover=all
                                              -fno-omit-frame-pointer)
  target_link_options(kr_options INTERFACE -fsanitize=${KR_SANITIZE})
endif()

if(KR_LIBFUZZER)
  # Every part tells libFuzzer which of its branches were taken.
  target_compile_options(kr_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(KR_CCACHE ccache)
if(KR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${KR_CCACHE})
endif()
find_program(KR_MOLD mold)
if(KR_MOLD)
  target_link_options(kr_options INTERFACE -fuse-ld=mold)
endif()

# A room of engine/: a static library of the folder's sources. Other rooms see its headers only
# when they link it: each room has an include root of its own, holding nothing but a link to the
# folder, so that an include against the direction of ARCHITECTURE does not build.
function(kr_room name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  set(root ${CMAKE_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/${name} ${root}/${name} SYMBOLIC)
  set(scope PUBLIC)
  if(sources)
    add_library(kr_${name} STATIC ${sources})
    target_link_libraries(kr_${name} PRIVATE kr_options)
  else()
    set(scope INTERFACE)
    add_library(kr_${name} INTERFACE)
  endif()
  target_include_directories(kr_${name} ${scope} ${root})
  foreach(other ${ARGN})
    target_link_libraries(kr_${name} ${scope} kr_${other})
  endforeach()
endfunction()
