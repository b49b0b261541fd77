# Debian packages, by CPack: `./dev package`. What they have beyond an installation (manual pages, completions, documents,
# Debian's own files) is put there by stage.cmake, between installing and packing.
find_program(DPKG dpkg)
if(NOT DPKG)
  return()
endif()
execute_process(COMMAND ${DPKG} --print-architecture OUTPUT_VARIABLE architecture OUTPUT_STRIP_TRAILING_WHITESPACE)
set(soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME byoc)
set(CPACK_PACKAGE_VENDOR byoc)
set(CPACK_PACKAGE_CONTACT "The authors of byoc <maintainers@byoc.invalid>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL byoc lib dev doc)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/stage.cmake)
set(CPACK_BYOC_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_BYOC_PROGRAM ${CMAKE_BINARY_DIR}/bin/byoc)
set(CPACK_BYOC_LIBRARY_FOLDER lib/${CMAKE_LIBRARY_ARCHITECTURE})


set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# No revision of Debian's own.
set(CPACK_DEBIAN_PACKAGE_RELEASE 0upstream1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# Clang's own headers, and the C library of each family of targets.
set(CPACK_DEBIAN_BYOC_PACKAGE_NAME byoc)
set(CPACK_DEBIAN_BYOC_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_BYOC_PACKAGE_DEPENDS libclang-common-19-dev)
set(CPACK_DEBIAN_BYOC_PACKAGE_RECOMMENDS "libnewlib-arm-none-eabi, gcc-arm-none-eabi, qemu-system-arm")
set(CPACK_DEBIAN_BYOC_PACKAGE_SUGGESTS "byoc-doc, gcc, picolibc-riscv64-unknown-elf, gcc-riscv64-unknown-elf")
set(CPACK_COMPONENT_BYOC_DESCRIPTION "compiler of neural networks for microcontrollers and hosts
byoc turns a trained model (ONNX, TensorFlow Lite) into a library that a
bare-metal firmware links: objects for exactly one target, weights as
constants in flash, a typed C header, no heap and no runtime. Codegens of
chip vendors can take the parts of a model that they do best.")

set(CPACK_DEBIAN_LIB_PACKAGE_NAME libbyoc${soversion})
set(CPACK_DEBIAN_LIB_PACKAGE_SECTION libs)
# Its worker is the program of the same version; stage.cmake adds the libraries.
set(CPACK_DEBIAN_LIB_PACKAGE_DEPENDS
    "libclang-common-19-dev, byoc (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
# With SHLIBDEPS, CPack 3.25 would write scripts that call ldconfig themselves, which a trigger is for.
set(shlibs "libbyoc ${soversion} libbyoc${soversion} (>= ${PROJECT_VERSION})\n")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/debian/shlibs CONTENT "${shlibs}" @ONLY)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/debian/triggers CONTENT "activate-noawait ldconfig\n" @ONLY)
set(CPACK_DEBIAN_LIB_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/debian/shlibs ${CMAKE_BINARY_DIR}/debian/triggers)
set(CPACK_COMPONENT_LIB_DESCRIPTION "compiler of neural networks, as a library
What the command byoc does, programs do with this library: import models,
compile and write them, run them on this machine, inspect what was written.

This package has the shared library.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libbyoc-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "libbyoc${soversion} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), byoc (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_COMPONENT_DEV_DESCRIPTION "compiler of neural networks, headers of the library
What the command byoc does, programs do with this library: import models,
compile and write them, run them on this machine, inspect what was written.

This package has the headers, for programs and for plug-ins of codegens.")

set(CPACK_DEBIAN_DOC_PACKAGE_NAME byoc-doc)
set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_DOC_DESCRIPTION "compiler of neural networks, documents and examples
byoc turns a trained model (ONNX, TensorFlow Lite) into a library that a
bare-metal firmware links.

This package has its documents, and examples: firmware, plug-ins, programs.")

include(CPack)
