# One static library a room. Sources are found by themselves; components of a `.def` table are
# checked against it, so a line without its file stops the configuration with a clear message.

add_library(ke_options INTERFACE)
# Only for building this tree: whoever links the installed libraries keeps their own warnings.
set(options -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  # Decisions must not depend on the machine: baseline x86-64, no contraction into fused multiply-add.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees an overlap in "text" + std::string that is not there (GCC bug 105651).
  list(APPEND options -Wno-restrict -Wno-maybe-uninitialized)
else()
  # What the macros of seccomp.h expand to.
  list(APPEND options -Wno-missing-field-initializers -Wno-c99-extensions)
endif()
if(KE_WARNINGS_AS_ERRORS)
  list(APPEND options -Werror)
endif()
if(KE_QUICK_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Collecting garbage is a tenth of the work; without it a compiler takes 1.1 GB at most, not 0.9.
  list(APPEND options --param=ggc-min-heapsize=500000)
endif()
if(CMAKE_UNITY_BUILD)
  # Names of one source are then seen in the next.
  list(APPEND options -Wno-shadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND options -Wno-subobject-linkage)
  endif()
endif()
target_compile_options(ke_options INTERFACE "$<BUILD_INTERFACE:${options}>")
if(KE_SANITIZE)
  target_compile_options(ke_options INTERFACE -fsanitize=${KE_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  if(KE_SANITIZE MATCHES "address.*undefined")
    # A third of the code and of its build time, for what ASan or a signal reports anyway.
    target_compile_options(ke_options INTERFACE
      -fno-sanitize=null,alignment,vptr,return,object-size,pointer-overflow)
  endif()
  target_link_options(ke_options INTERFACE -fsanitize=${KE_SANITIZE})
endif()
target_include_directories(ke_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/kernelevolve>)
target_compile_features(ke_options INTERFACE cxx_std_20)

# ke_unite_folders(target sources...): where CMAKE_UNITY_BUILD is on, the sources of a folder are compiled as one, since
# their headers cost more than they do. So names in anonymous namespaces are unique within a folder.
function(ke_unite_folders target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${group})
  endforeach()
endfunction()

# ke_precompile(target first headers...): what most sources include, precompiled once for all targets of a kind by the
# `first` of them: half off a build from nothing.
function(ke_precompile target first)
  if(KE_QUICK_BUILD)
    if(target STREQUAL first)
      target_precompile_headers(${target} PRIVATE <algorithm> <functional> <map> <memory> <optional> <set> <span>
        <string> <string_view> <variant> <vector> <fmt/format.h> <nlohmann/json.hpp> ${ARGN})
    else()
      target_precompile_headers(${target} REUSE_FROM ${first})
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # g++ 12 forgets then that a line is the standard library's, and warns of what it inlined.
      target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
    endif()
  endif()
endfunction()

# ke_check_table(table.def): every line KE_COMPONENT(kind, name) needs <name>.cpp, or <name>.md, below its folder.
function(ke_check_table table)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  get_filename_component(folder ${table} DIRECTORY)
  file(STRINGS ${table} lines REGEX "^KE_[A-Z]+\\(")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^KE_[A-Z]+\\(([a-z0-9_]+).*" "\\1" name "${line}")
    file(GLOB_RECURSE found ${folder}/${name}.cpp ${folder}/${name}.md)
    if(NOT found)
      message(FATAL_ERROR "${table}: '${name}' has no file ${name}.cpp below ${folder}")
    endif()
  endforeach()
endfunction()

# ke_room(name [LINK libraries...]): the static library ke_<name> from all sources of the room.
function(ke_room name)
  cmake_parse_arguments(ARG "" "" "LINK;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(pattern IN LISTS ARG_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${pattern}")
  endforeach()
  file(GLOB_RECURSE tables CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.def)
  foreach(table IN LISTS tables)
    ke_check_table(${table})
  endforeach()
  if(NOT sources)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp "")
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
  endif()
  add_library(ke_${name} STATIC ${sources})
  target_link_libraries(ke_${name} PUBLIC ke_options ${ARG_LINK})
  set_target_properties(ke_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  ke_unite_folders(ke_${name} ${sources})
  ke_precompile(ke_${name} ke_core)
endfunction()
