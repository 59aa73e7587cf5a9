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
                             "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
                             "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/factosim>")
target_compile_definitions(factosim_options INTERFACE FACTOSIM_CONTRACTS=$<BOOL:${FACTOSIM_CONTRACTS}>)
target_compile_options(
  factosim_options INTERFACE "$<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow>"
                             # GCC 12 sees overlaps in std::string's operator+ that are not there (its bug 105651).
                             "$<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>>"
                             # The same bytes for every optimisation level: no fused multiply-add, no reassociation.
                             "$<BUILD_INTERFACE:-ffp-contract=off>")
# For builds of everything: names that only one file knows have to differ from those of its neighbours.
if(FACTOSIM_QUICK_BUILD)
  target_compile_options(factosim_options INTERFACE "$<BUILD_INTERFACE:-Wno-shadow>")
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 10)
endif()

# Lines that run are counted in the core alone, so that the rest is as quick as ever.
function(factosim_count_lines target)
  if(FACTOSIM_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage -O0)
    target_link_options(${target} INTERFACE --coverage)
  endif()
endfunction()
if(FACTOSIM_SANITIZE)
  target_compile_options(
    factosim_options INTERFACE "$<BUILD_INTERFACE:-fsanitize=address,undefined;-fno-sanitize-recover=all>")
  target_link_options(factosim_options INTERFACE "$<BUILD_INTERFACE:-fsanitize=address,undefined>")
endif()

# One library for each folder of sources: factosim_room(NAME [COUNTED] SOURCES ... PUBLIC ... [PRIVATE ...]) defines
# factosim_NAME and its alias factosim::NAME. COUNTED: tests/coverage.sh counts which of its lines run.
function(factosim_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "COUNTED" "" "SOURCES;PUBLIC;PRIVATE")
  add_library(factosim_${name} STATIC ${room_SOURCES})
  add_library(factosim::${name} ALIAS factosim_${name})
  set_target_properties(factosim_${name} PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(factosim_${name} PUBLIC factosim::options ${room_PUBLIC} PRIVATE ${room_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY FACTOSIM_ROOMS factosim_${name})
  if(room_COUNTED)
    factosim_count_lines(factosim_${name})
  endif()
endfunction()
