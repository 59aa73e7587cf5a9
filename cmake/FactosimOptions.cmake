# What all targets share: the language, the warnings, the root of includes, contracts and sanitizers.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(FACTOSIM_CCACHE ccache)
mark_as_advanced(FACTOSIM_CCACHE)
if(FACTOSIM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${FACTOSIM_CCACHE}")
endif()

add_library(factosim_options INTERFACE)
add_library(factosim::options ALIAS factosim_options)
set_target_properties(factosim_options PROPERTIES EXPORT_NAME options)
target_compile_features(factosim_options INTERFACE cxx_std_20)
target_include_directories(
  factosim_options INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
                             "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/simulator/include>"
                             "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_compile_definitions(factosim_options INTERFACE FACTOSIM_CONTRACTS=$<BOOL:${FACTOSIM_CONTRACTS}>)
target_compile_options(
  factosim_options INTERFACE "$<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow>"
                             # GCC 12 sees overlaps in std::string's operator+ that are not there (its bug 105651).
                             "$<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>>"
                             # libstdc++ 12 calls in its own stable_sort what it deprecates.
                             "$<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>>"
                             # The same bytes for every optimisation level: no fused multiply-add, no reassociation.
                             "$<BUILD_INTERFACE:-ffp-contract=off>")
# For builds of everything: names that only one file knows have to differ from those of its neighbours.
if(FACTOSIM_QUICK_BUILD)
  target_compile_options(factosim_options INTERFACE "$<BUILD_INTERFACE:-Wno-shadow>")
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 40)
endif()

# Clang keeps the instances of templates in precompiled headers, so that it takes 0.6 of GCC's time; GCC gains nothing from such headers.
function(factosim_precompile target)
  if(FACTOSIM_QUICK_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT CMAKE_CXX_COMPILER_LAUNCHER
     AND NOT FACTOSIM_COVERAGE)
    if(NOT TARGET factosim_precompiled)
      file(WRITE "${PROJECT_BINARY_DIR}/precompiled.cpp" "")
      add_library(factosim_precompiled OBJECT "${PROJECT_BINARY_DIR}/precompiled.cpp")
      target_link_libraries(factosim_precompiled PRIVATE factosim::options fmt::fmt nlohmann_json::nlohmann_json)
      target_precompile_headers(
        factosim_precompiled
        PRIVATE
        <algorithm>
        <array>
        <charconv>
        <cmath>
        <deque>
        <filesystem>
        <fstream>
        <functional>
        <limits>
        <map>
        <memory>
        <numeric>
        <optional>
        <queue>
        <random>
        <set>
        <span>
        <sstream>
        <string>
        <string_view>
        <tuple>
        <unordered_map>
        <unordered_set>
        <utility>
        <variant>
        <vector>
        <fmt/format.h>
        <fmt/ranges.h>
        <nlohmann/json.hpp>
        "${PROJECT_SOURCE_DIR}/simulator/base/core/json_reader.hpp"
        "${PROJECT_SOURCE_DIR}/simulator/base/core/json_text.hpp")
      # An upgrade of the system's headers may give them any date: what is compared is what they hold, and a package that
      # was installed since then is noticed by dpkg's list of its files.
      target_compile_options(factosim_precompiled PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
      foreach(package IN ITEMS libc6-dev libstdc++ linux-libc-dev libclang-common nlohmann-json3-dev libfmt-dev)
        file(GLOB lists "/var/lib/dpkg/info/${package}*.list")
        set_property(
          SOURCE "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/factosim_precompiled.dir/cmake_pch.hxx.cxx"
          APPEND
          PROPERTY OBJECT_DEPENDS "${lists}")
      endforeach()
    endif()
    target_precompile_headers(${target} REUSE_FROM factosim_precompiled)
    target_compile_options(${target} PRIVATE -fPIC)  # also the program, or the precompiled headers would not be valid for it
  endif()
endfunction()

# All code can be part of a shared library, and is as fast as if it could not: no symbol is visible outside unless it
# says so. What is thrown by a module is caught all the same, since types are compared by name.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)

# Modules (see factosim_module) are loaded from the build folder, or from the folder of the installed libraries.
set(factosim_module_folder "${PROJECT_BINARY_DIR}/modules")
set(CMAKE_BUILD_RPATH "${factosim_module_folder}")
if(FACTOSIM_BUNDLE)
  add_link_options("LINKER:--disable-new-dtags")  # the old run path also finds what bundled libraries need
endif()
file(RELATIVE_PATH factosim_libraries_from_program "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}/factosim")
string(REPLACE "." "_" FACTOSIM_MODULE_DEFINITIONS "FACTOSIM_MODULE_ENTRY=factosim_module_${PROJECT_VERSION}")

# Counts the lines of the core that run; the rest runs at full speed.
function(factosim_count_lines target)
  if(FACTOSIM_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage -O0)
    target_link_options(${target} INTERFACE --coverage)
  endif()
endfunction()
if(FACTOSIM_SANITIZE)
  target_compile_options(
    factosim_options INTERFACE "$<BUILD_INTERFACE:-fsanitize=address,undefined;-fno-sanitize-recover=all>")
  target_link_options(factosim_options INTERFACE "$<BUILD_INTERFACE:-fsanitize=address,undefined>"
                      # The sanitizer calls the loader in the program's place: only an old run path is then searched.
                      "$<BUILD_INTERFACE:LINKER:--disable-new-dtags>")
endif()

# One library for each folder of sources: factosim_room(NAME [COUNTED] SOURCES ... PUBLIC ... [PRIVATE ...]) defines
# factosim_NAME and its alias factosim::NAME. COUNTED: tests/coverage.sh counts which of its lines run.
function(factosim_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "COUNTED" "" "SOURCES;PUBLIC;PRIVATE")
  add_library(factosim_${name} STATIC ${room_SOURCES})
  add_library(factosim::${name} ALIAS factosim_${name})
  set_target_properties(factosim_${name} PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(factosim_${name} PUBLIC factosim::options ${room_PUBLIC} PRIVATE ${room_PRIVATE})
  factosim_precompile(factosim_${name})
  set_property(GLOBAL APPEND PROPERTY FACTOSIM_ROOMS factosim_${name})
  if(room_COUNTED)
    factosim_count_lines(factosim_${name})
  endif()
endfunction()

# A part of the program that needs large libraries, loaded on first use (see simulator/base/os/module.hpp):
# factosim_module(NAME SOURCES ... LIBRARIES ...) defines factosim_NAME, which is built and installed with the program. It
# has its own copies of the functions that it needs of rooms.
function(factosim_module name)
  cmake_parse_arguments(PARSE_ARGV 1 module "COUNTED" "" "SOURCES;LIBRARIES")
  add_library(factosim_${name} MODULE ${module_SOURCES})
  target_link_libraries(factosim_${name} PRIVATE factosim::options ${module_LIBRARIES})
  target_link_options(factosim_${name} PRIVATE "LINKER:--exclude-libs,ALL")
  target_compile_definitions(factosim_${name} PRIVATE ${FACTOSIM_MODULE_DEFINITIONS})
  set_target_properties(factosim_${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY "${factosim_module_folder}"
                                                    INSTALL_RPATH "$<$<BOOL:${FACTOSIM_BUNDLE}>:$ORIGIN>")
  set_property(GLOBAL APPEND PROPERTY FACTOSIM_MODULES factosim_${name})
  if(module_COUNTED)
    factosim_count_lines(factosim_${name})
  endif()
  install(TARGETS factosim_${name} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/factosim" COMPONENT program)
endfunction()
