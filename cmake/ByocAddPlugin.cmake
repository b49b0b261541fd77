# byoc_add_plugin(<target> ID <id> VERSION <version> SOURCES <file>... [NAME <text>] [VENDOR <text>] [LICENSE <spdx>]
#                 [MIN_HOST_MINOR <n>] [EMBED [<name>=]<file>...])
#
# Makes <target> a plug-in for byoc: a shared module <target>.so that shows its query function only, and beside it the
# manifest <target>.byoc.json, which lets `byoc plugins` list it without loading it. ID, VERSION and the ABI are what the
# plug-in's table says; byoc refuses a manifest that says something else. byoc_install_plugin(<target>) installs both to
# lib/byoc/plugins, where a byoc of the same prefix finds them by their id.
#
# EMBED puts files into the plug-in, where byoc/plugin/embedded.hpp finds them by their names: a library's sources and
# headers, an archive for each target. They may be outputs of commands of the same folder. For plug-ins in C++.
#
# The target byoc::plugin has the headers alone, for build systems of your own.

if(NOT TARGET byoc::plugin)
  foreach(root ../../.. ..)
    if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/${root}/include/byoc/abi/abi.h)
      get_filename_component(_byoc_include ${CMAKE_CURRENT_LIST_DIR}/${root}/include ABSOLUTE)
      add_library(byoc::plugin INTERFACE IMPORTED)
      set_target_properties(byoc::plugin PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${_byoc_include})
      break()
    endif()
  endforeach()
endif()

# The number after "#define <name>" in the installed headers.
function(_byoc_abi_number name out)
  get_target_property(include byoc::plugin INTERFACE_INCLUDE_DIRECTORIES)
  file(STRINGS ${include}/byoc/abi/base.h line REGEX "^#define ${name} [0-9]+u")
  string(REGEX MATCH "[0-9]+" number "${line}")
  set(${out} ${number} PARENT_SCOPE)
endfunction()

# A source with the bytes of files, which the assembler reads.
function(_byoc_embed target)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT CXX IN_LIST languages)
    message(FATAL_ERROR "byoc_add_plugin(${target}): EMBED is for plug-ins in C++; project(... LANGUAGES CXX)")
  endif()
  set(text "#include <byoc/plugin/embedded.hpp>\n\n")
  set(entries "")
  set(files "")
  set(names "")
  set(i 0)
  foreach(entry IN LISTS ARGN)
    if(entry MATCHES "^([^=]+)=(.+)$")
      set(name ${CMAKE_MATCH_1})
      set(file ${CMAKE_MATCH_2})
    else()
      set(file ${entry})
      get_filename_component(name ${file} NAME)
    endif()
    get_filename_component(file ${file} ABSOLUTE)
    get_source_file_property(is_made ${file} GENERATED)
    if(NOT EXISTS ${file} AND NOT is_made)
      message(FATAL_ERROR "byoc_add_plugin(${target}): there is no file ${file} to EMBED")
    endif()
    if(name IN_LIST names)
      message(FATAL_ERROR "byoc_add_plugin(${target}): two files to EMBED are called ${name}; say <name>=<file>")
    endif()
    set(s byoc_embedded_${i})
    string(APPEND text "asm(\".section .rodata.${s}, \\\"a\\\"\\n.balign 16\\n.globl ${s}\\n.hidden ${s}\\n${s}:\\n\"\n"
                       "    \".incbin \\\"${file}\\\"\\n.globl ${s}_end\\n.hidden ${s}_end\\n${s}_end:\\n.byte 0\\n.previous\\n\");\n"
                       "extern \"C\" __attribute__((visibility(\"hidden\"))) const std::byte ${s}[], ${s}_end[];\n")
    string(APPEND entries "      {\"${name}\", {${s}, ${s}_end}},\n")
    list(APPEND files ${file})
    list(APPEND names ${name})
    math(EXPR i "${i} + 1")
  endforeach()
  string(APPEND text "\nnamespace byoc {\nstd::span<const EmbeddedFile> embedded_files() {\n"
                     "  static const EmbeddedFile files[] = {\n${entries}  };\n  return files;\n}\n}  // namespace byoc\n")
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.cpp)
  file(GENERATE OUTPUT ${out} CONTENT "${text}")
  set_source_files_properties(${out} PROPERTIES GENERATED ON OBJECT_DEPENDS "${files}")
  target_sources(${target} PRIVATE ${out})
endfunction()

function(byoc_add_plugin target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "ID;VERSION;NAME;VENDOR;LICENSE;MIN_HOST_MINOR" "SOURCES;EMBED")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "byoc_add_plugin(${target}): unknown argument '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  foreach(needed ID VERSION SOURCES)
    if(NOT ARG_${needed})
      message(FATAL_ERROR "byoc_add_plugin(${target}): ${needed} is missing")
    endif()
  endforeach()
  if(NOT ARG_MIN_HOST_MINOR)
    set(ARG_MIN_HOST_MINOR 0)
  endif()

  add_library(${target} MODULE ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE byoc::plugin)
  if(ARG_EMBED)
    _byoc_embed(${target} ${ARG_EMBED})
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(C IN_LIST languages)
    target_compile_features(${target} PRIVATE c_std_11)
  endif()
  if(CXX IN_LIST languages)
    target_compile_features(${target} PRIVATE cxx_std_20)
  endif()
  set_target_properties(${target} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
  # Nothing of the static libraries it is linked with gets out, and nothing is left open until it is loaded.
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${target}.map
       CONTENT "{ global: byoc_plugin_query_v1; local: *; };\n")
  target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined
                      -Wl,--version-script=${CMAKE_CURRENT_BINARY_DIR}/${target}.map)

  _byoc_abi_number(BYOC_ABI_MAJOR major)
  _byoc_abi_number(BYOC_ABI_MINOR minor)
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${target}.byoc.json CONTENT "{
  \"schema\": 1,
  \"id\": \"${ARG_ID}\",
  \"name\": \"${ARG_NAME}\",
  \"vendor\": \"${ARG_VENDOR}\",
  \"version\": \"${ARG_VERSION}\",
  \"license\": \"${ARG_LICENSE}\",
  \"abi\": {\"major\": ${major}, \"minor\": ${minor}, \"min_host_minor\": ${ARG_MIN_HOST_MINOR}},
  \"library\": \"${target}.so\"
}
")
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} SUFFIX ".so")
endfunction()

function(byoc_install_plugin target)
  install(TARGETS ${target} LIBRARY DESTINATION lib/byoc/plugins)
  get_target_property(folder ${target} BINARY_DIR)
  install(FILES ${folder}/${target}.byoc.json DESTINATION lib/byoc/plugins)
endfunction()
