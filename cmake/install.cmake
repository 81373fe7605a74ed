# `cmake --install build/release --prefix P`: the programs, the libraries with their headers, the shipped
# configs, and a package that find_package(KernelEvolve) finds (targets KernelEvolve::core, ::archive, ...).
# The component `programs` is what runs: programs and the files that they read.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/KernelEvolve)

foreach(room core archive operators fitness experiments)
  set_target_properties(ke_${room} PROPERTIES EXPORT_NAME ${room})
  install(TARGETS ke_${room} EXPORT KernelEvolveTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kernelevolve
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def" PATTERN "sqlite" EXCLUDE PATTERN "postgres" EXCLUDE)
endforeach()
set_target_properties(ke_options PROPERTIES EXPORT_NAME options)
install(TARGETS ke_options EXPORT KernelEvolveTargets)

foreach(program kernelevolve kernelevolve-worker kernelevolve-sandbox kernelevolve-reference kernelevolve-cuda
  kernelevolve-opencl)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
  endif()
endforeach()
set(share ${CMAKE_INSTALL_DATADIR}/kernelevolve)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${share} COMPONENT programs)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/experiments/python DESTINATION ${share} COMPONENT programs
  FILES_MATCHING PATTERN "*.py" PATTERN "pyproject.toml" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/experiments/dispatch/library DESTINATION ${share} COMPONENT programs)
install(FILES ${PROJECT_SOURCE_DIR}/core/formula.hpp DESTINATION ${share}/library COMPONENT programs)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/experiments/dispatch/torch DESTINATION ${share} COMPONENT programs
  FILES_MATCHING PATTERN "*.py" PATTERN "*.cpp" PATTERN "*.hpp")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/fitness/python/adapters DESTINATION ${share} COMPONENT programs
  USE_SOURCE_PERMISSIONS FILES_MATCHING PATTERN "*.py" PATTERN "ld.lld")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/fitness/reference/python/ DESTINATION ${share}/references COMPONENT programs
  FILES_MATCHING PATTERN "*.py")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/experiments/run/import DESTINATION ${share} COMPONENT programs
  FILES_MATCHING PATTERN "*.py" PATTERN "*.h" PATTERN "*.hpp")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/experiments/run/needs DESTINATION ${share} COMPONENT programs
  FILES_MATCHING PATTERN "*.py")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/experiments/view/artifact DESTINATION ${share} COMPONENT programs
  USE_SOURCE_PERMISSIONS FILES_MATCHING PATTERN "*.py" PATTERN "*.sh" PATTERN "*.txt")
install(PROGRAMS ${PROJECT_SOURCE_DIR}/papers/check_claims.py DESTINATION ${share}/artifact COMPONENT programs)
install(FILES ${PROJECT_SOURCE_DIR}/archive/postgres/schema.sql ${PROJECT_SOURCE_DIR}/archive/postgres/roles.sql
  DESTINATION ${share}/postgres COMPONENT programs)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${share} COMPONENT programs)

install(EXPORT KernelEvolveTargets NAMESPACE KernelEvolve:: DESTINATION ${package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/KernelEvolveConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/KernelEvolveConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/KernelEvolveConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/KernelEvolveConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/KernelEvolveConfigVersion.cmake DESTINATION ${package})
# The same list of foreign packages that the build itself uses.
install(FILES ${PROJECT_SOURCE_DIR}/cmake/packages.cmake DESTINATION ${package})
