# Run by CPack for the packages' folders, between installing and packing: what Debian wants of a package.
set(source ${CPACK_BYOC_SOURCE})
set(debian ${source}/packaging/debian)

function(compress from to)
  execute_process(COMMAND gzip -9nc ${from} OUTPUT_FILE ${to} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component byoc lib dev doc)
  set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr)
  if(NOT IS_DIRECTORY ${usr})
    continue()
  endif()
  string(TOUPPER ${component} upper)
  set(name ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  file(COPY ${debian}/copyright DESTINATION ${usr}/share/doc/${name})
  compress(${debian}/changelog ${usr}/share/doc/${name}/changelog.Debian.gz)
  compress(${source}/CHANGELOG.md ${usr}/share/doc/${name}/changelog.gz)
  if(EXISTS ${debian}/${name}.lintian-overrides)
    file(MAKE_DIRECTORY ${usr}/share/lintian/overrides)
    configure_file(${debian}/${name}.lintian-overrides ${usr}/share/lintian/overrides/${name} COPYONLY)
  endif()
endforeach()

# Debian's libraries are in the system's folders.
if(EXISTS ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/byoc/usr/bin/byoc)
  file(RPATH_REMOVE FILE ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/byoc/usr/bin/byoc)
endif()

# Manual pages and completions are what the program says of itself.
set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/byoc/usr)
if(IS_DIRECTORY ${usr})
  set(made ${CPACK_TOPLEVEL_DIRECTORY}/command_line)
  execute_process(COMMAND python3 ${source}/packaging/command_line.py ${CPACK_BYOC_PROGRAM} ${made}
                  COMMAND_ERROR_IS_FATAL ANY)
  file(COPY ${made}/man/ DESTINATION ${usr}/share/man/man1)
  foreach(file bash-completion/completions/byoc zsh/vendor-completions/_byoc fish/vendor_completions.d/byoc.fish)
    string(REGEX MATCH "^[a-z]+" shell ${file})
    execute_process(COMMAND ${CPACK_BYOC_PROGRAM} completion ${shell} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE ${usr}/share/${file} "${text}")
  endforeach()
endif()

# Libraries are in the folder of their architecture.
foreach(component lib dev)
  set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr)
  file(GLOB libraries ${usr}/lib/libbyoc.so*)
  if(libraries)
    file(COPY ${libraries} DESTINATION ${usr}/${CPACK_BYOC_LIBRARY_FOLDER})
    file(REMOVE ${libraries})
  endif()
endforeach()

# What the library needs. CPack takes the variable from here.
file(GLOB library ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/lib/usr/${CPACK_BYOC_LIBRARY_FOLDER}/libbyoc.so.*.*.*)
if(library)
  set(folder ${CPACK_TOPLEVEL_DIRECTORY}/shlibdeps)
  file(WRITE ${folder}/debian/control "Source: byoc\n\nPackage: ${CPACK_DEBIAN_LIB_PACKAGE_NAME}\nArchitecture: any\n")
  execute_process(COMMAND dpkg-shlibdeps -O ${library} WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE needed ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "shlibs:Depends=" "" needed "${needed}")
  string(APPEND CPACK_DEBIAN_LIB_PACKAGE_DEPENDS ", ${needed}")
endif()

# Documents and examples are in the folder of their package, which has the licence and the changes in forms of its own.
set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/doc/usr)
if(IS_DIRECTORY ${usr}/share/doc/byoc)
  file(REMOVE ${usr}/share/doc/byoc/LICENSE ${usr}/share/doc/byoc/CHANGELOG.md)
  file(COPY ${usr}/share/doc/byoc/ DESTINATION ${usr}/share/doc/byoc-doc)
  file(REMOVE_RECURSE ${usr}/share/doc/byoc)
endif()
