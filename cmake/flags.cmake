# Warnings are errors with gcc and clang alike; the sanitizers and coverage are build kinds of their own.
add_library(pawl_flags INTERFACE)
target_compile_options(pawl_flags INTERFACE
        -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
        -Wformat=2 -Wvla -Werror)
target_compile_definitions(pawl_flags INTERFACE _GNU_SOURCE)
if(NOT PAWL_SANITIZE AND NOT PAWL_TSAN AND NOT PAWL_COVERAGE)
        target_compile_options(pawl_flags INTERFACE -fstack-protector-strong)
        target_compile_definitions(pawl_flags INTERFACE _FORTIFY_SOURCE=2)
endif()
if(PAWL_SANITIZE)
        target_compile_options(pawl_flags INTERFACE
                -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
        target_link_options(pawl_flags INTERFACE -fsanitize=address,undefined)
endif()
if(PAWL_TSAN)
        target_compile_options(pawl_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
        target_link_options(pawl_flags INTERFACE -fsanitize=thread)
endif()
if(PAWL_COVERAGE)
        # Unoptimised, gcc guesses at other things than in the builds that are tested, and wrongly.
        target_compile_options(pawl_flags INTERFACE --coverage -O0 -Wno-error)
        target_link_options(pawl_flags INTERFACE --coverage)
endif()
if(PAWL_FUZZ)
        # with the asserts: what a file says must not break them
        target_compile_options(pawl_flags INTERFACE -fsanitize=fuzzer-no-link -UNDEBUG)
endif()
