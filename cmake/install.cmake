# What `cmake --install` puts where: the library and its headers, the programs, pkg-config and CMake
# descriptions, manual pages.
include(CMakePackageConfigHelpers)

install(TARGETS pawl EXPORT pawl-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/pawl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS pawl_program eventlog_program DESTINATION ${CMAKE_INSTALL_BINDIR})

configure_file(cmake/pawl.pc.in pawl.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pawl.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/pawl)
install(EXPORT pawl-targets NAMESPACE pawl:: FILE pawl-config.cmake DESTINATION ${package_folder})
write_basic_package_version_file(pawl-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pawl-config-version.cmake DESTINATION ${package_folder})

file(GLOB manuals CONFIGURE_DEPENDS docs/man/*.1)
install(FILES ${manuals} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
