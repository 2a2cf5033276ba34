# What `cmake --install` puts where: the library and its headers, the programs, pkg-config and CMake
# descriptions, manual pages. As components, which become packages: programs, library, development.
include(CMakePackageConfigHelpers)
string(JOIN " " modules ${PAWL_REQUIRES})

install(TARGETS pawl EXPORT pawl-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/pawl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(TARGETS pawl_program eventlog_program DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)

# From where pawl.pc lies, so that the whole can be moved; directories that were given as absolute ones stay.
cmake_path(APPEND libdir "\${prefix}" "${CMAKE_INSTALL_LIBDIR}")
cmake_path(APPEND includedir "\${prefix}" "${CMAKE_INSTALL_INCLUDEDIR}")
file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" up ${up})
configure_file(cmake/pawl.pc.in pawl.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pawl.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)

if(PAWL_WITH_CJSON)
        install(TARGETS pawl-cjson
                LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cjson NAMELINK_COMPONENT cjson_development
                ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cjson_development
                INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
        install(FILES bindings/cjson/pawl/cjson.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pawl
                COMPONENT cjson_development)
        configure_file(cmake/pawl-cjson.pc.in pawl-cjson.pc @ONLY)
        install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pawl-cjson.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
                COMPONENT cjson_development)
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/pawl)
install(EXPORT pawl-targets NAMESPACE pawl:: DESTINATION ${package_folder} COMPONENT development)
configure_file(cmake/pawl-config.cmake.in pawl-config.cmake @ONLY)
write_basic_package_version_file(pawl-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pawl-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/pawl-config-version.cmake
        DESTINATION ${package_folder} COMPONENT development)

foreach(section 1 3 5)
        file(GLOB manuals CONFIGURE_DEPENDS docs/man/*.${section})
        set(component programs)
        if(section EQUAL 3)
                set(component development)
        endif()
        install(FILES ${manuals} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} COMPONENT ${component})
endforeach()
