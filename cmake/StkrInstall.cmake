# Rules for cmake --install, and the files that find_package(stkr CONFIG) needs.
include(CMakePackageConfigHelpers)

set(stkr_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stkr)
install(TARGETS stkr EXPORT stkrTargets)
install(DIRECTORY include/stkr ${PROJECT_BINARY_DIR}/include/stkr TYPE INCLUDE)
install(FILES LICENSE README.md TYPE DOC)
install(EXPORT stkrTargets NAMESPACE stkr:: DESTINATION ${stkr_config_dir})
if(TARGET stkr_command)
  install(TARGETS stkr_command)
endif()
configure_package_config_file(cmake/stkrConfig.cmake.in ${PROJECT_BINARY_DIR}/stkrConfig.cmake
                              INSTALL_DESTINATION ${stkr_config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stkrConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stkrConfig.cmake ${PROJECT_BINARY_DIR}/stkrConfigVersion.cmake
        DESTINATION ${stkr_config_dir})
