# What every target of the project is built with.
add_library(kr_options INTERFACE)
target_compile_options(kr_options INTERFACE -Wall -Wextra -Wconversion -Werror)
# GCC 12 warns falsely of std::string's operator+ (its bug 105651).
target_compile_options(kr_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(KR_UNITY)
  # GCC takes a source that another one includes for a header, which should have no anonymous namespace.
  target_compile_options(kr_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
# GCC collects its garbage whenever its memory has grown by a third: 6 % of the time of a build.
target_compile_options(kr_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)
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

find_program(KR_CCACHE ccache)
if(KR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${KR_CCACHE})
endif()
find_program(KR_MOLD mold)
if(KR_MOLD)
  target_link_options(kr_options INTERFACE -fuse-ld=mold)
endif()

# At -O1, GCC takes members of an empty std::optional for read.
set(KR_SHORT_OPTIONS $<$<CONFIG:Release>:-O1> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)

# Modules that read bytes of others. With sanitizers, these are optimized a little, and report to libFuzzer which of their branches were
# taken; all others are only compiled: at -O1 that takes clang three times the time.
set(KR_INPUT_MODULES base source diag order syntax regex sema match trace prove layout convert)
if(KR_SANITIZE)
  list(APPEND KR_SHORT_OPTIONS -O0)
endif()

# Modules that every operation, name or row passes through are compiled for speed, all others for a short build.
set(KR_FAST_MODULES base order regex match trace classify scopes analyze)

# Modules from here on are in the folder engine/NAME/, a wing. A module uses those before it.
set(KR_WINGS "")
macro(kr_wing name)
  list(APPEND KR_WINGS ${name})
endmacro()

# A module of engine/: a static library of the folder's sources. Each module has its own include root, which
# contains only a link to the folder. Another module can include its headers only when it links the module, so an
# include that the table in docs/architecture.md does not allow does not compile.
function(kr_module name)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  if(KR_WINGS)
    list(GET KR_WINGS -1 wing)
    set(folder ${folder}/${wing})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/${name}/*.cpp)
  set(root ${CMAKE_BINARY_DIR}/modules/${name})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${folder}/${name} ${root}/${name} SYMBOLIC)
  set(scope PUBLIC)
  if(sources)
    add_library(kr_${name} STATIC ${sources})
    target_link_libraries(kr_${name} PRIVATE kr_options)
    if(KR_SANITIZE AND name IN_LIST KR_INPUT_MODULES)
      if(KR_LIBFUZZER)
        target_compile_options(kr_${name} PRIVATE -fsanitize=fuzzer-no-link)
      endif()
    elseif(NOT KR_SANITIZE AND name IN_LIST KR_FAST_MODULES)
      # GCC stops inlining when a source has grown by 40 %: joined sources are over that at once, and comparing two
      # words becomes a call (Kineto files: 1.2 times the time). Only readers have such calls.
      if(KR_UNITY AND name MATCHES "^(base|trace)$")
        target_compile_options(kr_${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=inline-unit-growth=300>)
      endif()
    else()
      target_compile_options(kr_${name} PRIVATE ${KR_SHORT_OPTIONS})
    endif()
  else()
    set(scope INTERFACE)
    add_library(kr_${name} INTERFACE)
  endif()
  target_include_directories(kr_${name} ${scope} ${root})
  foreach(other ${ARGN})
    if(NOT TARGET kr_${other})
      message(FATAL_ERROR "module ${name}: ${other} comes after it")
    endif()
    target_link_libraries(kr_${name} ${scope} kr_${other})
  endforeach()
endfunction()
