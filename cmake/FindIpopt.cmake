# Finds Ipopt by pkg-config. Defines the target Ipopt::Ipopt.
find_package(PkgConfig QUIET)
pkg_check_modules(PC_IPOPT QUIET ipopt)
find_path(Ipopt_INCLUDE_DIR NAMES IpIpoptApplication.hpp HINTS ${PC_IPOPT_INCLUDE_DIRS} PATH_SUFFIXES coin coin-or)
find_library(Ipopt_LIBRARY NAMES ipopt HINTS ${PC_IPOPT_LIBRARY_DIRS})
mark_as_advanced(Ipopt_INCLUDE_DIR Ipopt_LIBRARY)
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
endif()
