# byoc_embed(target NAMESPACE ns FUNCTION f [BASE folder] FILES ...): puts files into `target` as they are and gives it
#   namespace ns { std::span<const std::pair<std::string_view, std::string_view>> f(); }   // {file name, text}, sorted
# The declaration is the user's own header's business. Files are named by their base name, or relative to BASE. The
# assembler reads them (.incbin), so that no compiler has to parse them.
function(byoc_embed target)
  cmake_parse_arguments(ARG "" "NAMESPACE;FUNCTION;BASE" "FILES" ${ARGN})
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${ARG_FUNCTION}_embedded.cpp)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DNAMESPACE=${ARG_NAMESPACE} -DFUNCTION=${ARG_FUNCTION} -DBASE=${ARG_BASE}
            "-DFILES=${ARG_FILES}"
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${ARG_FILES} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    VERBATIM)
  set_source_files_properties(${out} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${out})
endfunction()
