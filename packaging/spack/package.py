"""A recipe for Spack: copy the folder to REPOSITORY/packages/kr, then `spack dev-build kr@main` in a checkout."""

from spack.package import *


class Kr(CMakePackage):
    """Labels every GPU operation of a trace by rules and shows where the time goes."""

    license("Apache-2.0")
    version("main")

    variant("mpi", default=False, description="Build kr-mpi, which uses several processes")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    # ECharts of the report page; with -DKR_ECHARTS_DIR=FOLDER, none is needed.
    depends_on("npm", type="build")
    depends_on("pegtl@3.2:", type="build")
    depends_on("cli11@2.3:", type="build")
    depends_on("tomlplusplus@3.3:", type="build")
    depends_on("xxhash")
    depends_on("hyperscan", when="target=x86_64:")
    depends_on("vectorscan", when="target=aarch64:")
    depends_on("sqlite@3.38:")
    depends_on("simdjson@2:")
    depends_on("re2")
    depends_on("cairo")
    depends_on("fmt@9:")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("isa-l")
    depends_on("binutils+libiberty")
    depends_on("mpi", when="+mpi")

    generator("ninja")

    def cmake_args(self):
        return [self.define("KR_TESTS", False), self.define("KR_MPI", "ON" if self.spec.satisfies("+mpi") else "OFF")]
