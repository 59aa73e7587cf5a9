# Finds Ipopt by pkg-config. Defines the target Ipopt::Ipopt.
find_package(PkgConfig QUIET)
pkg_check_modules(PC_IPOPT QUIET ipopt)
find_path(Ipopt_INCLUDE_DIR NAMES IpIpoptApplication.hpp HINTS ${PC_IPOPT_INCLUDE_DIRS} PATH_SUFFIXES coin coin-or)
find_library(Ipopt_LIBRARY NAMES ipopt HINTS ${PC_IPOPT_LIBRARY_DIRS})
find_library(Ipopt_MPI_LIBRARY NAMES mpiseq_seq)
mark_as_advanced(Ipopt_INCLUDE_DIR Ipopt_LIBRARY Ipopt_MPI_LIBRARY)
set(Ipopt_VERSION "${PC_IPOPT_VERSION}")

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Ipopt
  REQUIRED_VARS Ipopt_LIBRARY Ipopt_INCLUDE_DIR
  VERSION_VAR Ipopt_VERSION)

if(Ipopt_FOUND AND NOT TARGET Ipopt::Ipopt)
  add_library(Ipopt::Ipopt UNKNOWN IMPORTED)
  set_target_properties(
    Ipopt::Ipopt
    PROPERTIES IMPORTED_LOCATION "${Ipopt_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${Ipopt_INCLUDE_DIR}"
               INTERFACE_COMPILE_DEFINITIONS HAVE_CSTDDEF)
  # MUMPS, which Ipopt solves its linear systems by, brings an MPI of its own for one process, whose names SimGrid's
  # SMPI has too. The loader takes the first it finds, the program's own libraries first: that MPI must be one of them, before
  # SimGrid.
  if(Ipopt_MPI_LIBRARY)
    set_property(
      TARGET Ipopt::Ipopt PROPERTY INTERFACE_LINK_OPTIONS "LINKER:--push-state,--no-as-needed"
                                   "${Ipopt_MPI_LIBRARY}" "LINKER:--pop-state")
  endif()
endif()
