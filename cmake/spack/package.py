# Spack package: copy it to packages/factosim/ of a Spack repository. Checked against the build of this project (options
# and dependencies), not with Spack itself.
from spack.package import *


class Factosim(CMakePackage):
    """Simulates task-based dense factorizations on heterogeneous clusters."""

    license("MIT")
    version("main", branch="main")

    variant("simgrid", default=True, description="Network model simgrid; without it, maxmin is the default")
    variant("ipopt", default=True, description="Rings and balanced blocks of data-parallel loops")
    variant("dot", default=True, description="Graphs of tasks in DOT")
    variant("pictures", default=True, description="Figures as SVG, PDF and PNG")
    variant("calibration", default=True, description="Calibration of a machine")

    depends_on("cxx", type="build")
    depends_on("cmake@3.21:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("boost@1.74: +graph")
    depends_on("cli11")
    depends_on("clp")
    depends_on("eigen@3.4:")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("pugixml")
    depends_on("xxhash")
    depends_on("zlib-api")
    depends_on("simgrid@3.32", when="+simgrid")
    depends_on("ipopt", when="+ipopt")
    depends_on("graphviz@2.42:", when="+dot")
    depends_on("py-matplotlib@3.6:", when="+pictures", type="run")
    depends_on("openblas", when="+calibration")
    depends_on("netlib-lapack +lapacke", when="+calibration")
    depends_on("gsl", when="+calibration")

    def cmake_args(self):
        return [
            self.define_from_variant("FACTOSIM_SIMGRID", "simgrid"),
            self.define("FACTOSIM_TESTS", False),
        ]
