# libkr: the modules behind the public headers in one archive, for find_package(kr) and pkg-config.
include(CMakePackageConfigHelpers)
set(modules base source diag order syntax regex sema match trace align classify trees scopes analyze layout prove compare
            changes coverage facts compute saved text table ncu cost what_if replay job tables render picture overview timeline page export
            session testing lint api c)
set(objects ${modules})
list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:kr_\\1>")
add_library(kr_library STATIC ${objects})
set_target_properties(kr_library PROPERTIES OUTPUT_NAME kr EXPORT_NAME kr LINKER_LANGUAGE CXX)
target_compile_features(kr_library INTERFACE cxx_std_20)
target_include_directories(kr_library INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(kr_library PRIVATE Threads::Threads fmt::fmt SQLite::SQLite3 ZLIB::ZLIB PkgConfig::HYPERSCAN
                                         PkgConfig::ZSTD PkgConfig::ISAL PkgConfig::RE2 PkgConfig::SIMDJSON PkgConfig::CAIRO iberty)

set(config ${CMAKE_INSTALL_LIBDIR}/cmake/kr)
install(TARGETS kr_library EXPORT kr ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libkr-dev)
install(EXPORT kr NAMESPACE kr:: FILE krTargets.cmake DESTINATION ${config} COMPONENT libkr-dev)
install(DIRECTORY include/kr DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libkr-dev FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/krConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/krConfig.cmake ${PROJECT_BINARY_DIR}/krConfigVersion.cmake DESTINATION ${config} COMPONENT libkr-dev)

# The folder of the .pc file leads to the prefix, wherever that is moved.
file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/kr.pc.in ${PROJECT_BINARY_DIR}/kr.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/kr.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libkr-dev)
