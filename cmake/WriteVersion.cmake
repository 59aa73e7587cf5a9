# Writes the version header: run at each build, changes the file only when its content does.
execute_process(
  COMMAND git describe --always --dirty --abbrev=12 --exclude=*
  WORKING_DIRECTORY "${SOURCE_DIR}"
  OUTPUT_VARIABLE revision
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT revision)
  set(revision unknown)
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "#define FACTOSIM_VERSION \"${VERSION}\"
#define FACTOSIM_GIT_REVISION \"${revision}\"
")
