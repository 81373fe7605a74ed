# `cmake --install build/release --prefix P`: the programs, the libraries with their headers, the shipped
# configs, and a package that find_package(KernelEvolve) finds (targets KernelEvolve::core, ::archive, ...).
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/KernelEvolve)

foreach(room core archive operators fitness experiments)
  set_target_properties(ke_${room} PROPERTIES EXPORT_NAME ${room})
  install(TARGETS ke_${room} EXPORT KernelEvolveTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kernelevolve
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def" PATTERN "sqlite" EXCLUDE)
endforeach()
set_target_properties(ke_options PROPERTIES EXPORT_NAME options)
install(TARGETS ke_options EXPORT KernelEvolveTargets)

foreach(program kernelevolve kernelevolve-worker kernelevolve-sandbox kernelevolve-cuda kernelevolve-opencl)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${CMAKE_INSTALL_DATADIR}/kernelevolve)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/experiments/plot/draw DESTINATION ${CMAKE_INSTALL_DATADIR}/kernelevolve
  FILES_MATCHING PATTERN "*.py")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/fitness/python/adapters DESTINATION ${CMAKE_INSTALL_DATADIR}/kernelevolve
  FILES_MATCHING PATTERN "*.py")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/experiments/artifact DESTINATION ${CMAKE_INSTALL_DATADIR}/kernelevolve
  USE_SOURCE_PERMISSIONS FILES_MATCHING PATTERN "*.py" PATTERN "*.sh" PATTERN "*.txt")
install(PROGRAMS ${PROJECT_SOURCE_DIR}/papers/check_claims.py DESTINATION ${CMAKE_INSTALL_DATADIR}/kernelevolve/artifact)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/kernelevolve)

install(EXPORT KernelEvolveTargets NAMESPACE KernelEvolve:: DESTINATION ${package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/KernelEvolveConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/KernelEvolveConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/KernelEvolveConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/KernelEvolveConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/KernelEvolveConfigVersion.cmake DESTINATION ${package})
# The same list of foreign packages that the build itself uses.
install(FILES ${PROJECT_SOURCE_DIR}/cmake/packages.cmake DESTINATION ${package})
