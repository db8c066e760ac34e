# Packages of Debian, by CPack: kr, libkr-dev and, where there is MPI, kr-mpi, where there are Python's headers, python3-kr. tools/package makes them.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL kr libkr-dev)
if(TARGET kr_mpi)
  list(APPEND CPACK_COMPONENTS_ALL kr-mpi)
endif()
if(TARGET kr_python)
  list(APPEND CPACK_COMPONENTS_ALL python3-kr)
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "The developers of kr <kr@localhost>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# What a program is linked with is found in its headers.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_DEBIAN_KR_PACKAGE_NAME kr)
set(CPACK_COMPONENT_KR_DESCRIPTION "rules that name GPU work, and reports of where the time goes
 Reads traces of Nsight Systems, PyTorch's profiler and others, labels each
 operation by rules, and shows the time by label, phase, step, layer and device.")
set(CPACK_DEBIAN_KR_PACKAGE_RECOMMENDS fonts-dejavu-core)

set(CPACK_DEBIAN_LIBKR-DEV_PACKAGE_NAME libkr-dev)
set(CPACK_COMPONENT_LIBKR-DEV_DESCRIPTION "kr as a static library for C++ and C
 Headers, libkr.a, and files for CMake and pkg-config.")
file(STRINGS ${PROJECT_SOURCE_DIR}/tools/packages line REGEX "^library: ")
string(REGEX REPLACE "^library: " "" needs "${line}")
string(REPLACE " " ", " needs "${needs}")
set(CPACK_DEBIAN_LIBKR-DEV_PACKAGE_DEPENDS "${needs}")
set(CPACK_DEBIAN_LIBKR-DEV_PACKAGE_RECOMMENDS "kr (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LIBKR-DEV_PACKAGE_SECTION libdevel)

set(CPACK_DEBIAN_KR-MPI_PACKAGE_NAME kr-mpi)
set(CPACK_COMPONENT_KR-MPI_DESCRIPTION "kr report with several processes, by MPI
 Hands the traces of a job out to processes, on one computer or on many.")
set(CPACK_DEBIAN_KR-MPI_PACKAGE_DEPENDS "kr (= ${PROJECT_VERSION})")

set(CPACK_DEBIAN_PYTHON3-KR_PACKAGE_NAME python3-kr)
set(CPACK_COMPONENT_PYTHON3-KR_DESCRIPTION "import kr: reports of GPU traces in Python
 Reads traces, labels names and returns tables, for numpy, pandas and Arrow.")
set(CPACK_DEBIAN_PYTHON3-KR_PACKAGE_DEPENDS "kr (= ${PROJECT_VERSION}), python3 (>= 3.9)")
set(CPACK_DEBIAN_PYTHON3-KR_PACKAGE_SUGGESTS "python3-pandas, python3-ipython")
set(CPACK_DEBIAN_PYTHON3-KR_PACKAGE_SECTION python)

foreach(component kr libkr-dev kr-mpi python3-kr)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${component} COMPONENT ${component} RENAME copyright)
endforeach()
install(FILES NOTICE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/kr)
# Of libraries that are part of the program's own file, as Debian has them; see NOTICE.
foreach(package tao-pegtl-dev libcli11-dev libtomlplusplus-dev libxxhash-dev libiberty-dev)
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/kr/licenses RENAME ${package})
  endif()
endforeach()
include(CPack)
