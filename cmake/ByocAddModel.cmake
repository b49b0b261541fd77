# byoc_add_model(<target> MODEL <file> [FOR <byoc target>] [NAME <id>] [PACK a|o] [TOOLCHAIN clang|gnu]
#                [PLUGINS <plug-in>...] [OPTIONS <option>...])
#
# Exports a model with `byoc export` at build time and makes <target>, a static library to link: it brings the archive,
# the folder of the generated header <id>.h, and the C library's mathematics. The export runs again when the model,
# byoc itself, a target description or the file of a plug-in changes.
#
#   MODEL      .onnx, .tflite or graph text; relative to the current source folder
#   FOR        what `byoc targets` lists, or a description (.json, relative to the current source folder); default:
#              BYOC_TARGET, which the toolchain files of byoc set
#   NAME       the C identifier that every public symbol starts with; default: <target>
#   PACK       a: a static library, whose kernels other models share; o: one object that shows nothing but <id>_*;
#              default: a
#   TOOLCHAIN  what compiles the generated C; default: the target's own
#   PLUGINS    files, or ids of installed ones; libraries that they want linked are yours to link
#   OPTIONS    further words for `byoc export`
#
# The program is BYOC_PROGRAM, found beside this file's installation or build tree, or on PATH.

if(NOT BYOC_PROGRAM)
  find_program(BYOC_PROGRAM byoc DOC "The byoc command line tool" NO_CMAKE_FIND_ROOT_PATH
               HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin ${CMAKE_CURRENT_LIST_DIR}/../build/bin)
endif()

function(byoc_add_model target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "MODEL;FOR;NAME;PACK;TOOLCHAIN" "PLUGINS;OPTIONS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "byoc_add_model(${target}): unknown argument '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT BYOC_PROGRAM)
    message(FATAL_ERROR "byoc_add_model(${target}): no byoc program found; set BYOC_PROGRAM")
  endif()
  if(NOT ARG_MODEL)
    message(FATAL_ERROR "byoc_add_model(${target}): MODEL is missing")
  endif()
  if(NOT ARG_FOR)
    set(ARG_FOR "${BYOC_TARGET}")
  endif()
  if(NOT ARG_FOR)
    message(FATAL_ERROR "byoc_add_model(${target}): FOR is missing and the toolchain file sets no BYOC_TARGET")
  endif()
  if(NOT ARG_NAME)
    set(ARG_NAME ${target})
  endif()
  if(NOT ARG_PACK)
    set(ARG_PACK a)
  endif()
  if(NOT ARG_PACK MATCHES "^[ao]$")
    message(FATAL_ERROR "byoc_add_model(${target}): PACK is '${ARG_PACK}', expected a or o")
  endif()
  get_filename_component(model "${ARG_MODEL}" ABSOLUTE)
  if(NOT EXISTS "${model}")
    message(FATAL_ERROR "byoc_add_model(${target}): no such model: ${model}")
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target})
  set(archive ${folder}/${ARG_NAME}.${ARG_PACK})
  set(header ${folder}/${ARG_NAME}.h)
  file(MAKE_DIRECTORY ${folder})
  set(files ${model} ${BYOC_PROGRAM})
  if(ARG_FOR MATCHES "\\.json$")
    get_filename_component(ARG_FOR "${ARG_FOR}" ABSOLUTE)
    list(APPEND files ${ARG_FOR})
  endif()
  set(command ${BYOC_PROGRAM} export ${model} --target ${ARG_FOR} --name ${ARG_NAME} -o ${archive})
  foreach(plugin IN LISTS ARG_PLUGINS)
    if(plugin MATCHES "/|\\.so$|\\.json$")
      get_filename_component(plugin "${plugin}" ABSOLUTE)
      list(APPEND files ${plugin})
    endif()
    list(APPEND command --plugin ${plugin})
  endforeach()
  if(ARG_TOOLCHAIN)
    list(APPEND command --toolchain ${ARG_TOOLCHAIN})
  endif()
  add_custom_command(
    OUTPUT ${archive} ${header}
    COMMAND ${command} ${ARG_OPTIONS}
    DEPENDS ${files}
    COMMENT "Exporting ${ARG_MODEL} for ${ARG_FOR}"
    VERBATIM)
  add_custom_target(${target}_export DEPENDS ${archive} ${header})

  if(ARG_PACK STREQUAL "a")
    add_library(${target} STATIC IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${archive} INTERFACE_LINK_LIBRARIES m)
  else()
    # CMake has no imported target for one object that others link.
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${archive};m" INTERFACE_LINK_DEPENDS ${archive})
  endif()
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${folder})
  add_dependencies(${target} ${target}_export)
endfunction()
