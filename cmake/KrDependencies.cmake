# Libraries of the distribution; tools/packages names the packages they come in.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(HYPERSCAN REQUIRED IMPORTED_TARGET libhs)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
find_path(PEGTL_INCLUDE_DIR tao/pegtl.hpp REQUIRED)
find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)

add_library(kr_pegtl INTERFACE)
target_include_directories(kr_pegtl SYSTEM INTERFACE ${PEGTL_INCLUDE_DIR})
# The grammars are seen by the parsers alone.
add_library(kr_grammar INTERFACE)
target_include_directories(kr_grammar INTERFACE ${PROJECT_BINARY_DIR}/rooms/grammar)
target_link_libraries(kr_grammar INTERFACE kr_pegtl)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/rooms/grammar)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/grammar ${PROJECT_BINARY_DIR}/rooms/grammar/grammar SYMBOLIC)
