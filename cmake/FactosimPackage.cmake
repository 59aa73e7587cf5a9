# Debian packages: `cpack -G DEB` in the build folder of the preset release makes factosim (the program, its modules,
# data and documents) and libfactosim-dev (static libraries, headers, the package for find_package).

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME factosim)
set(CPACK_PACKAGE_VENDOR "the factosim authors")
set(CPACK_PACKAGE_CONTACT "the factosim authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME factosim)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS fonts-dejavu-core)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libfactosim-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "factosim (= ${PROJECT_VERSION}), libboost-dev, libeigen3-dev, libfmt-dev, libpugixml-dev, nlohmann-json3-dev, zlib1g-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Libraries and headers to simulate from other programs")
include(CPack)
