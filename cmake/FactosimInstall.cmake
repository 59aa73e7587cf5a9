# Installs the program, the library with its public headers, the modules, the shipped data, and a package for
# find_package(factosim). The package offers one target, factosim::factosim; the others are its parts.

include(CMakePackageConfigHelpers)

add_library(factosim_library INTERFACE)
add_library(factosim::factosim ALIAS factosim_library)
set_target_properties(factosim_library PROPERTIES EXPORT_NAME factosim)
target_link_libraries(factosim_library INTERFACE factosim::simulation)

get_property(factosim_libraries GLOBAL PROPERTY FACTOSIM_ROOMS)
list(APPEND factosim_libraries factosim_options factosim_library)
install(
  TARGETS ${factosim_libraries}
  EXPORT factosim-targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}/factosim" COMPONENT development
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/factosim" COMPONENT development)
install(TARGETS factosim RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
install(
  DIRECTORY simulator/include/factosim
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  COMPONENT development
  FILES_MATCHING
  PATTERN "*.hpp"
  PATTERN "*.h")
install(
  DIRECTORY platforms models scenarios
  DESTINATION "${CMAKE_INSTALL_DATADIR}/factosim"
  COMPONENT program
  FILES_MATCHING
  PATTERN "*.json"
  PATTERN "*.dot"
  PATTERN "*.rec.gz")
# What the program runs by Python wherever it is installed: painter of figures, converters, and what works on graphs.
install(
  DIRECTORY simulator/front/python/factosim/figures simulator/front/python/factosim/convert
            simulator/front/python/factosim/changes simulator/front/python/factosim/ranks
            simulator/front/python/factosim/starpu
  DESTINATION "${CMAKE_INSTALL_DATADIR}/factosim"
  COMPONENT program
  FILES_MATCHING
  PATTERN "*.py"
  PATTERN "*.mplstyle")
install(
  FILES simulator/front/python/factosim/_tool.py
  DESTINATION "${CMAKE_INSTALL_DATADIR}/factosim"
  COMPONENT program)
# The source of the recorder, which is compiled for the runtime of the program that it records.
set(shim
    events.hpp
    channel.hpp
    shim.hpp
    starpu_shim.cpp
    host_shim.cpp
    ranks_shim.cpp
    openmp_tasks.hpp
    openmp_gcc_shim.cpp
    openmp_clang_shim.cpp)
list(TRANSFORM shim PREPEND simulator/traces/record/)
install(
  FILES ${shim}
  DESTINATION "${CMAKE_INSTALL_DATADIR}/factosim/record"
  COMPONENT program)
# StarPU's files of the how-tos, whose names have the ending of a machine.
install(
  DIRECTORY scenarios/guide/starpu
  DESTINATION "${CMAKE_INSTALL_DATADIR}/factosim/scenarios/guide"
  COMPONENT program)

# For packages that no package manager completes: the shared libraries that not every system has, beside the modules.
if(FACTOSIM_BUNDLE)
  get_property(modules GLOBAL PROPERTY FACTOSIM_MODULES)
  list(TRANSFORM modules REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE module_files)
  list(JOIN module_files " " module_files)
  install(
    CODE "file(GET_RUNTIME_DEPENDENCIES EXECUTABLES $<TARGET_FILE:factosim> MODULES ${module_files}
         RESOLVED_DEPENDENCIES_VAR libraries PRE_EXCLUDE_REGEXES \"^(lib(c|m|dl|rt|pthread|gcc_s|stdc\\\\+\\\\+)|ld-linux.*)\\\\.so\")
         foreach(library IN LISTS libraries)
           get_filename_component(name \"\${library}\" NAME)
           file(COPY_FILE \"\${library}\" \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/factosim/\${name}\")
         endforeach()"
    COMPONENT program)
endif()

# Manual pages and completions, which the program knows.
install(
  CODE
    "execute_process(COMMAND \"$<TARGET_FILE:factosim>\" help --pages \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\" COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT program)
install(DIRECTORY "${PROJECT_BINARY_DIR}/schema" DESTINATION "${CMAKE_INSTALL_DATADIR}/factosim" COMPONENT program)

set(factosim_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/factosim")
install(
  EXPORT factosim-targets
  NAMESPACE factosim::
  DESTINATION "${factosim_config_dir}"
  COMPONENT development)
set(factosim_modules "${CMAKE_INSTALL_LIBDIR}/factosim")
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/factosim-config.cmake.in" "${PROJECT_BINARY_DIR}/factosim-config.cmake"
  INSTALL_DESTINATION "${factosim_config_dir}"
  PATH_VARS factosim_modules)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/factosim-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/factosim-config.cmake" "${PROJECT_BINARY_DIR}/factosim-config-version.cmake"
        DESTINATION "${factosim_config_dir}" COMPONENT development)

# The documents, in their folders, so that their links work.
install(
  FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE
  DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  COMPONENT program)
install(
  DIRECTORY platforms models distributions scenarios simulator tests
  DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  COMPONENT program
  FILES_MATCHING
  PATTERN "*.md"
  PATTERN "*.svg")
