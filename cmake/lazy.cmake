# pawl_lazy(MODULE PREFIX package)
#
# MODULE includes the headers of the pkg-config module PREFIX, and loads its library when it is first
# used (base/lazy.h), by the name that the library found here gives itself: PREFIX_SONAME. It is not
# linked, so neither the programs nor those who link libpawl load it at their start.
function(pawl_lazy module prefix package)
        string(REPLACE / _ module ${module})
        pkg_get_variable(folder ${${prefix}_MODULE_NAME} libdir)
        find_library(${prefix}_LIBRARY NAMES ${${prefix}_LIBRARIES} HINTS ${folder} ${${prefix}_LIBRARY_DIRS}
                REQUIRED)
        file(REAL_PATH ${${prefix}_LIBRARY} real)
        execute_process(COMMAND ${CMAKE_READELF} -d ${real} OUTPUT_VARIABLE dynamic ERROR_QUIET)
        if(NOT dynamic MATCHES "\\(SONAME\\)[^[]*\\[([^]]+)\\]")
                message(FATAL_ERROR "${real}: ${CMAKE_READELF} finds no SONAME in it")
        endif()
        set(${prefix}_SONAME ${CMAKE_MATCH_1} PARENT_SCOPE)
        target_compile_definitions(${module} PRIVATE
                ${prefix}_SONAME="${CMAKE_MATCH_1}" ${prefix}_PACKAGE="${package}")
        target_include_directories(${module} SYSTEM PRIVATE ${${prefix}_INCLUDE_DIRS})
        set_property(GLOBAL APPEND PROPERTY PAWL_LIBS ${CMAKE_DL_LIBS} Threads::Threads)
endfunction()
