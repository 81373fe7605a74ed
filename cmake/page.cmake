# The page of reports: npm fetches what it is made of (experiments/page/package-lock.json says exactly what), esbuild
# bundles it, and the result is one C++ source. Without npm, or without a registry, all else builds; `report` then says
# what is missing. ke_page(target) adds the page to a target.
option(KE_PAGE "Bundle the page of reports with npm" ON)
set(KE_PAGE_TEXT "" CACHE FILEPATH
  "A page that another build of this version bundled, for machines without npm: share/kernelevolve/page_text.cpp of a bundle")

# What node_modules was made from: another lock file makes it anew.
function(ke_page_modules modules found)
  set(${found} FALSE PARENT_SCOPE)
  if(NOT KE_PAGE)
    message(STATUS "Page of reports: left out (KE_PAGE is off)")
    return()
  endif()
  find_program(KE_NPM npm)
  find_program(KE_NODE NAMES node nodejs)
  if(NOT KE_NPM OR NOT KE_NODE)
    message(WARNING "npm or node is missing: 'kernelevolve report' is built without its page. "
      "Install the packages nodejs and npm and configure again.")
    return()
  endif()
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/page)
  file(SHA256 ${source}/package-lock.json lock)
  set(stamp ${modules}/installed-${lock})
  if(NOT EXISTS ${stamp})
    message(STATUS "Page of reports: fetching its packages with npm")
    file(REMOVE_RECURSE ${modules})
    file(COPY ${source}/package.json ${source}/package-lock.json ${source}/.npmrc DESTINATION ${modules})
    execute_process(COMMAND ${KE_NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error
      WORKING_DIRECTORY ${modules} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE words)
    if(failed)
      string(SUBSTRING "${words}" 0 600 words)
      message(WARNING "npm could not fetch the packages of the page: 'kernelevolve report' is built without it. "
        "Configure again when its registry can be reached.\n${words}")
      return()
    endif()
    file(TOUCH ${stamp})
  endif()
  set(${found} TRUE PARENT_SCOPE)
endfunction()

function(ke_page target)
  if(KE_PAGE_TEXT)
    target_sources(${target} PRIVATE ${KE_PAGE_TEXT})
    return()
  endif()
  set(modules ${CMAKE_BINARY_DIR}/page)
  set(text ${CMAKE_CURRENT_BINARY_DIR}/page_text.cpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/page/package-lock.json)
  ke_page_modules(${modules} found)
  if(found)
    file(GLOB_RECURSE parts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/page/*.js
      ${CMAKE_CURRENT_SOURCE_DIR}/page/*.mjs ${CMAKE_CURRENT_SOURCE_DIR}/page/*.css ${CMAKE_CURRENT_SOURCE_DIR}/page/*.html)
    add_custom_command(OUTPUT ${text} DEPENDS ${parts} ${CMAKE_CURRENT_SOURCE_DIR}/page/package-lock.json
      COMMAND ${KE_NODE} ${CMAKE_CURRENT_SOURCE_DIR}/page/build.mjs ${modules} ${text}
      COMMENT "Bundling the page of reports" VERBATIM)
    install(FILES ${text} DESTINATION ${CMAKE_INSTALL_DATADIR}/kernelevolve COMPONENT programs)
  else()
    set(text ${CMAKE_CURRENT_BINARY_DIR}/no_page.cpp)
    file(CONFIGURE OUTPUT ${text} CONTENT "#include \"experiments/page/page.hpp\"

namespace ke {

PageTemplate page_template() { return {}; }

}  // namespace ke
")
  endif()
  target_sources(${target} PRIVATE ${text})
endfunction()
