# The documents as one site of HTML pages with a search, that needs no network: FACTOSIM_DOCUMENTS builds it with Sphinx, MyST
# and the theme of Read the Docs (Debian: python3-sphinx, python3-myst-parser, python3-sphinx-rtd-theme) and installs it in share/doc/factosim/html. Without it,
# the Markdown pages are installed alone.

if(FACTOSIM_DOCUMENTS)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  # The system's Python has the system's packages, also where another one comes first.
  foreach(python IN ITEMS "${Python3_EXECUTABLE}" /usr/bin/python3)
    execute_process(COMMAND "${python}" -c "import myst_parser, sphinx, sphinx_rtd_theme" RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
    if(missing EQUAL 0)
      set(factosim_sphinx "${python}" -m sphinx)
      break()
    endif()
  endforeach()
  if(NOT factosim_sphinx)
    message(FATAL_ERROR "FACTOSIM_DOCUMENTS needs Sphinx, myst_parser and sphinx_rtd_theme. Install them (Debian: python3-sphinx, "
                        "python3-myst-parser, python3-sphinx-rtd-theme), or configure with -DFACTOSIM_DOCUMENTS=OFF")
  endif()
  file(
    GLOB_RECURSE
    document_sources
    CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/*.md"
    "${PROJECT_SOURCE_DIR}/scenarios/*.svg")
  list(FILTER document_sources EXCLUDE REGEX "/node_modules/|/build/|/results/")
  set(html "${PROJECT_BINARY_DIR}/html")
  set(described_package)
  if(TARGET factosim_python)  # the page of its names
    file(
      GLOB
      described_package
      CONFIGURE_DEPENDS
      "${PROJECT_SOURCE_DIR}/simulator/front/python/factosim/*.py"
      "${PROJECT_SOURCE_DIR}/simulator/front/python/factosim/*.pyi")
    list(APPEND described_package factosim_python)
  endif()
  add_custom_command(
    OUTPUT "${html}/index.html"
    COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${PROJECT_BINARY_DIR}/python" PYTHONDONTWRITEBYTECODE=1 ${factosim_sphinx} -q -c "${PROJECT_SOURCE_DIR}/cmake/documents" -d "${PROJECT_BINARY_DIR}/doctrees"
            "${PROJECT_SOURCE_DIR}" "${html}"
    DEPENDS ${document_sources} ${described_package} "${PROJECT_SOURCE_DIR}/cmake/documents/conf.py" "${PROJECT_SOURCE_DIR}/cmake/documents/api.py"
    COMMENT "Making the site of the documents"
    VERBATIM)
  add_custom_target(factosim_documents ALL DEPENDS "${html}/index.html")
  install(
    DIRECTORY "${html}"
    DESTINATION "${CMAKE_INSTALL_DOCDIR}"
    COMPONENT program
    PATTERN ".buildinfo" EXCLUDE
    PATTERN "objects.inv" EXCLUDE)
endif()
