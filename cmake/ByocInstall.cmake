# What a user gets: the tool, the host library, the headers, byoc_add_model(), byoc_add_plugin() and the target
# descriptions. Components are the Debian packages of packaging/ByocPackage.cmake.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Without debug information and symbols, which the build keeps: they are half of the program.
install(CODE "set(CMAKE_INSTALL_DO_STRIP 1)" ALL_COMPONENTS)
if(TARGET byoc)
  install(TARGETS byoc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT byoc)
  install(FILES ${CMAKE_BINARY_DIR}/bin/byoc-cc DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT byoc)  # a link to it
endif()
if(TARGET byoc_host)
  install(TARGETS byoc_host LIBRARY DESTINATION lib COMPONENT lib NAMELINK_COMPONENT dev)
endif()
install(DIRECTORY include/byoc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
# What firmware includes besides a model's header, where no header of this machine's C library is beside it.
install(DIRECTORY include/byoc/rt DESTINATION ${CMAKE_INSTALL_DATADIR}/byoc/include/byoc COMPONENT byoc)
install(DIRECTORY toolchains DESTINATION ${CMAKE_INSTALL_DATADIR}/byoc COMPONENT byoc)
# The package serves firmware projects of any architecture.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/byoc-config-version.cmake COMPATIBILITY SameMinorVersion
                                 ARCH_INDEPENDENT)
install(FILES cmake/byoc-config.cmake cmake/ByocAddModel.cmake cmake/ByocLinkLibraries.cmake
              cmake/ByocAddPlugin.cmake
              ${CMAKE_BINARY_DIR}/byoc-config-version.cmake
        DESTINATION lib/cmake/byoc COMPONENT byoc)
# As they are in the tree, so that links between them lead somewhere; examples build against the installation.
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/byoc COMPONENT doc
        PATTERN __pycache__ EXCLUDE)
# For a repository of models: docs/farms.md says how.
install(DIRECTORY packaging/action DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/byoc COMPONENT doc USE_SOURCE_PERMISSIONS
        PATTERN __pycache__ EXCLUDE)
install(FILES README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/byoc COMPONENT doc)
if(TARGET byoc AND TARGET byoc_host)
  include(${PROJECT_SOURCE_DIR}/packaging/ByocPackage.cmake)
endif()
