# Warnings are asked for with gcc and clang alike; whether they are errors, and how the code is hardened, is
# the builder's choice. The sanitizers and coverage are build kinds of their own.
option(PAWL_WERROR "Warnings are errors" OFF)
option(PAWL_HARDENING "Stack protector and _FORTIFY_SOURCE, where CFLAGS do not say" OFF)

add_library(pawl_flags INTERFACE)
target_compile_options(pawl_flags INTERFACE
        -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
        -Wformat=2 -Wvla)
target_compile_definitions(pawl_flags INTERFACE _GNU_SOURCE)
if(PAWL_WERROR)
        target_compile_options(pawl_flags INTERFACE -Werror)
endif()
if(PAWL_HARDENING AND NOT PAWL_SANITIZE AND NOT PAWL_TSAN AND NOT PAWL_COVERAGE)
        target_compile_options(pawl_flags INTERFACE -fstack-protector-strong)
        if(NOT CMAKE_C_FLAGS MATCHES "_FORTIFY_SOURCE")
                # glibc warns of it where nothing is optimised
                target_compile_definitions(pawl_flags INTERFACE $<$<NOT:$<CONFIG:Debug>>:_FORTIFY_SOURCE=2>)
        endif()
endif()
if(PAWL_SANITIZE)
        target_compile_options(pawl_flags INTERFACE
                -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
        target_link_options(pawl_flags INTERFACE -fsanitize=address,undefined)
endif()
if(PAWL_TSAN)
        target_compile_definitions(pawl_flags INTERFACE PAWL_TSAN)
        target_compile_options(pawl_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
        target_link_options(pawl_flags INTERFACE -fsanitize=thread)
endif()
if(PAWL_COVERAGE)
        target_compile_options(pawl_flags INTERFACE --coverage -O0)
        target_link_options(pawl_flags INTERFACE --coverage)
endif()
if(PAWL_FUZZ)
        # with the asserts: what a file says must not break them
        target_compile_options(pawl_flags INTERFACE -fsanitize=fuzzer-no-link -UNDEBUG)
endif()
