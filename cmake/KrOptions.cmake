# What every target of the project is built with.
add_library(kr_options INTERFACE)
target_compile_options(kr_options INTERFACE -Wall -Wextra -Wconversion -Werror)
# GCC 12 warns falsely of std::string's operator+ (its bug 105651).
target_compile_options(kr_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(KR_UNITY)
  # GCC takes a source that another one includes for a header, which should have no anonymous namespace.
  target_compile_options(kr_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  # GCC stops inlining when a source has grown by 40 %: joined sources are over that at once, and comparing two
  # words becomes a call (Kineto files: 1.2 times the time).
  target_compile_options(kr_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=inline-unit-growth=300>)
endif()
if(KR_SANITIZE)
  target_compile_options(kr_options INTERFACE -fsanitize=${KR_SANITIZE} -fno-sanitize-recover=all
                                              -fno-omit-frame-pointer)
  target_link_options(kr_options INTERFACE -fsanitize=${KR_SANITIZE})
endif()

if(KR_ODR)
  # The link compares each type as every source defines it. Code is not optimised: only its types are looked at.
  target_compile_options(kr_options INTERFACE -flto)
  target_link_options(kr_options INTERFACE -flto=auto -O0 -Werror=odr -Werror=lto-type-mismatch)
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

# A module of engine/: a static library of the folder's sources. Each module has its own include root, which
# contains only a link to the folder. Another module can include its headers only when it links the module, so an
# include that the table in docs/architecture.md does not allow does not compile.
function(kr_module name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  set(root ${CMAKE_BINARY_DIR}/modules/${name})
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
