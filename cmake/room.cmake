# One static library a room. Sources are found by themselves; components of a `.def` table are
# checked against it, so a line without its file stops the configuration with a clear message.

add_library(ke_options INTERFACE)
# Only for building this tree: whoever links the installed libraries keeps their own warnings.
set(options -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  # g++ 12 sees an overlap in "text" + std::string that is not there (GCC bug 105651).
  -Wno-restrict -Wno-maybe-uninitialized
  # Decisions must not depend on the machine: baseline x86-64, no contraction into fused multiply-add.
  -ffp-contract=off)
if(KE_WARNINGS_AS_ERRORS)
  list(APPEND options -Werror)
endif()
target_compile_options(ke_options INTERFACE "$<BUILD_INTERFACE:${options}>")
if(KE_SANITIZE)
  target_compile_options(ke_options INTERFACE -fsanitize=${KE_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(ke_options INTERFACE -fsanitize=${KE_SANITIZE})
endif()
target_include_directories(ke_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/kernelevolve>)
target_compile_features(ke_options INTERFACE cxx_std_20)

# ke_check_table(table.def): every line KE_COMPONENT(kind, name) needs a source <name>.cpp below its folder.
function(ke_check_table table)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  get_filename_component(folder ${table} DIRECTORY)
  file(STRINGS ${table} lines REGEX "^KE_[A-Z]+\\(")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^KE_[A-Z]+\\(([a-z0-9_]+).*" "\\1" name "${line}")
    file(GLOB_RECURSE found ${folder}/${name}.cpp)
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
  if(KE_PRECOMPILE)
    target_precompile_headers(ke_${name} PRIVATE <algorithm> <functional> <map> <memory> <optional> <set> <span> <string>
      <string_view> <vector>)
  endif()
endfunction()
