# byoc_add_model(<target> MODEL <file or folder> [FOR <byoc target>] [NAME <id>] [PACK a|o|so] [TOOLCHAIN clang|gnu]
#                [PLUGINS <plug-in>...] [LIBRARIES <target or file>...] [OPTIONS <option>...])
#
# Exports a model with `byoc export` at build time and makes <target>, a library to link: it brings the archive, the
# folder of the generated header <id>.h (named after the library, as all files beside it), the C library's mathematics, and what the manifest lists in "link_libraries".
# The export runs again when the model, its external data, byoc itself, a target description, the file of a plug-in or a
# header that a source includes changes.
#
#   MODEL      .onnx, .tflite or graph text, which `byoc export` reads; or a folder that it wrote, for `byoc pack`, which
#              says by itself what it is for and how it is called; relative to the current source folder
#   FOR        what `byoc targets` lists, or a description (.json, relative to the current source folder); default:
#              BYOC_TARGET, which the toolchain files of byoc set
#   NAME       the C identifier that every public symbol starts with; default: <target>
#   PACK       a: a static library, whose kernels other models share; o: one object that shows nothing but <id>_*;
#              so: a shared library, for targets with an operating system; default: a
#   TOOLCHAIN  what compiles the generated C; default: the target's own
#   PLUGINS    files, or ids of installed ones
#   LIBRARIES  what the manifest's "link_libraries" are here, where they are not libraries that the linker finds by name:
#              CMake targets of those names, or files lib<name>.a
#   OPTIONS    further words for `byoc export` or `byoc pack`; objects are kept in ${CMAKE_BINARY_DIR}/byoc-cache, if
#              there is no --cache among them
#
# A warning says so if the compiler, with CMAKE_C_FLAGS, makes code for a core that cannot run the model's.
#
# The program is BYOC_PROGRAM, found beside this file's installation or build tree, or on PATH.

if(NOT BYOC_PROGRAM)
  find_program(BYOC_PROGRAM byoc DOC "The byoc command line tool" NO_CMAKE_FIND_ROOT_PATH
               HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin ${CMAKE_CURRENT_LIST_DIR}/../build/bin)
endif()

function(byoc_add_model target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "MODEL;FOR;NAME;PACK;TOOLCHAIN" "PLUGINS;LIBRARIES;OPTIONS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "byoc_add_model(${target}): unknown argument '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT BYOC_PROGRAM)
    message(FATAL_ERROR "byoc_add_model(${target}): no byoc program found; set BYOC_PROGRAM")
  endif()
  if(NOT ARG_MODEL)
    message(FATAL_ERROR "byoc_add_model(${target}): MODEL is missing")
  endif()
  if(NOT ARG_PACK)
    set(ARG_PACK a)
  endif()
  if(NOT ARG_PACK MATCHES "^(a|o|so)$")
    message(FATAL_ERROR "byoc_add_model(${target}): PACK is '${ARG_PACK}', expected a, o or so")
  endif()
  get_filename_component(model "${ARG_MODEL}" ABSOLUTE)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target})
  file(MAKE_DIRECTORY ${folder})
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/ByocLinkLibraries.cmake)
  set(files ${BYOC_PROGRAM} ${script})
  set(depfile)
  if(EXISTS "${model}/tree.json")
    _byoc_pack_command()
  elseif(EXISTS "${model}" AND NOT IS_DIRECTORY "${model}")
    _byoc_export_command()
  else()
    message(FATAL_ERROR "byoc_add_model(${target}): no such model: ${model}")
  endif()
  if(ARG_TOOLCHAIN)
    list(APPEND command --toolchain ${ARG_TOOLCHAIN})
  endif()
  if(NOT "--cache" IN_LIST ARG_OPTIONS)
    list(APPEND command --cache ${CMAKE_BINARY_DIR}/byoc-cache)
  endif()

  # Known once the manifest is there: the linker reads them from a file.
  set(header ${folder}/${ARG_NAME}.h)
  set(libraries ${folder}/link_libraries)
  add_custom_command(
    OUTPUT ${library} ${libraries}
    # A header that stays as it was is older than the model.
    BYPRODUCTS ${header}
    # The folder is this target's alone: --force, for PACK may have been another one.
    COMMAND ${command} --force ${ARG_OPTIONS}
    COMMAND ${CMAKE_COMMAND} -DMANIFEST=${folder}/${ARG_NAME}.json -DOUT=${libraries} "-DGIVEN=${ARG_LIBRARIES}"
            -P ${script}
    DEPENDS ${files}
    ${depfile}
    COMMENT "Exporting ${ARG_MODEL}"
    VERBATIM)
  add_custom_target(${target}_export DEPENDS ${library} ${libraries})

  # CMake gives an item that begins with "-" to the shell as it is: quotes keep a folder with a space together.
  set(with ${ARG_LIBRARIES} "-Wl,@\"${libraries}\"" m)
  if(ARG_PACK STREQUAL "a")
    add_library(${target} STATIC IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${library} INTERFACE_LINK_LIBRARIES "${with}")
  elseif(ARG_PACK STREQUAL "so")
    # It has what it needs; a program links nothing else.
    add_library(${target} SHARED IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${library} IMPORTED_SONAME ${ARG_NAME}.so)
  else()
    # CMake has no imported target for one object that others link.
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${library};${with}"
                                               INTERFACE_LINK_DEPENDS ${library})
  endif()
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${folder})
  add_dependencies(${target} ${target}_export)
endfunction()

# Warns where the program's compiler makes code for a core that cannot run a library for `core`. Flags that are set
# elsewhere than in the toolchain file, as by target_compile_options(), are not seen: nothing is said then.
function(_byoc_check_compiler target core)
  set(language CXX)
  if(CMAKE_C_COMPILER)
    set(language C)
  endif()
  set(flags "${CMAKE_${language}_FLAGS}")
  if(NOT BYOC_TARGET AND NOT flags MATCHES "-m(cpu|arch)=")
    return()
  endif()
  execute_process(COMMAND ${BYOC_PROGRAM} targets --condition ${core} RESULT_VARIABLE failed ERROR_QUIET
                  OUTPUT_VARIABLE condition OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    return()
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}/core_check.c)
  file(WRITE ${source} "#if ${condition}\nbyoc_runs_here\n#else\nbyoc_does_not_run_here\n#endif\n")
  separate_arguments(flags UNIX_COMMAND "${flags}")
  set(dialect)
  if(language STREQUAL "CXX")
    set(dialect -x c++)
  endif()
  execute_process(COMMAND ${CMAKE_${language}_COMPILER} ${CMAKE_${language}_COMPILER_ARG1} ${flags} ${dialect} -E
                          ${source}
                  OUTPUT_VARIABLE said ERROR_QUIET)
  if(said MATCHES "byoc_does_not_run_here")
    message(WARNING "byoc_add_model(${target}): FOR is '${core}', and this compiler makes code for a core that cannot run "
                    "it: ${CMAKE_${language}_COMPILER} ${CMAKE_${language}_FLAGS}")
  endif()
endfunction()

# Of a model: sets command, library and ARG_NAME, and adds to files.
macro(_byoc_export_command)
  list(APPEND files ${model})
  if(NOT ARG_FOR)
    set(ARG_FOR "${BYOC_TARGET}")
  endif()
  if(NOT ARG_FOR)
    message(FATAL_ERROR "byoc_add_model(${target}): FOR is missing and the toolchain file sets no BYOC_TARGET")
  endif()
  if(NOT ARG_NAME)
    set(ARG_NAME ${target})
  endif()
  if(ARG_FOR MATCHES "\\.json$")
    get_filename_component(ARG_FOR "${ARG_FOR}" ABSOLUTE)
    list(APPEND files ${ARG_FOR})
  endif()
  _byoc_check_compiler(${target} "${ARG_FOR}")
  set(library ${folder}/${ARG_NAME}.${ARG_PACK})
  set(command ${BYOC_PROGRAM} export ${model} --target ${ARG_FOR} --name ${ARG_NAME} -o ${library}
              --depfile ${folder}/${ARG_NAME}.d)
  set(depfile DEPFILE ${folder}/${ARG_NAME}.d)
  foreach(plugin IN LISTS ARG_PLUGINS)
    if(plugin MATCHES "/|\\.so$|\\.json$")
      get_filename_component(plugin "${plugin}" ABSOLUTE)
      list(APPEND files ${plugin})
    endif()
    list(APPEND command --plugin ${plugin})
  endforeach()
endmacro()

# Of a folder: the same.
macro(_byoc_pack_command)
  foreach(word FOR NAME PLUGINS)
    if(ARG_${word})
      message(FATAL_ERROR "byoc_add_model(${target}): ${word} is for a model; ${model} is exported already")
    endif()
  endforeach()
  file(READ ${model}/tree.json tree)
  string(JSON ARG_NAME ERROR_VARIABLE problem GET "${tree}" prefix)
  if(problem OR NOT ARG_NAME MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "byoc_add_model(${target}): ${model} holds no model")
  endif()
  file(GLOB_RECURSE parts CONFIGURE_DEPENDS ${model}/src/* ${model}/lib/* ${model}/data/* ${model}/include/*)
  list(APPEND files ${parts} ${model}/tree.json)
  set(library ${folder}/${ARG_NAME}.${ARG_PACK})
  set(command ${BYOC_PROGRAM} pack ${model} -o ${library})
endmacro()
