# ccache and a quick linker are used where they are, and needed nowhere.

# Objects are kept for all checkouts of the tree: paths are relative, and neither times of headers nor the folder count.
find_program(BYOC_CCACHE ccache)
if(BYOC_CCACHE)
  set(launcher env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${BYOC_CCACHE})
  foreach(language C CXX)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${launcher})
    endif()
  endforeach()
endif()

# The linker of programs that are linked to be tested; GNU ld takes four times as long.
find_program(BYOC_MOLD mold)
find_program(BYOC_LLD ld.lld HINTS /usr/lib/llvm-19/bin)
set(byoc_quick_linker)
if(BYOC_MOLD)
  set(byoc_quick_linker -fuse-ld=mold)
elseif(BYOC_LLD)
  get_filename_component(folder ${BYOC_LLD} DIRECTORY)
  set(byoc_quick_linker -fuse-ld=lld -B${folder})
endif()
