# How everything is compiled. Foreign code gets what is set here globally; our own code also links
# `engram_options` with its warnings and sanitizers.
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()
string(COMPARE EQUAL "${CMAKE_BUILD_TYPE}" Debug is_debug)
option(ENGRAM_SANITIZE "AddressSanitizer and UndefinedBehaviorSanitizer in our own code" ${is_debug})
option(ENGRAM_WERROR "Warnings in our own code are errors" ON)
option(ENGRAM_ANALYZE "Run gcc's -fanalyzer over our own code" OFF)
option(ENGRAM_SYSTEM_SQLITE "Use the system's SQLite (3.51.3 or newer) instead of the pinned one" OFF)

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

# No -DNDEBUG in a release: an assert marks a bug, and going on after one could damage the store.
set(CMAKE_C_FLAGS_RELEASE "-O2")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer")

# A score may not depend on the CPU, hence no contraction to fused multiply-add.
add_compile_options(-ffp-contract=off)
add_link_options(-Wl,--as-needed)

if(NOT ENGRAM_SANITIZE)
    add_compile_options(-fstack-protector-strong -fstack-clash-protection)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i[3-6]86)$")
        add_compile_options(-fcf-protection)
    endif()
    add_link_options(-Wl,-z,relro,-z,now)
    if(CMAKE_BUILD_TYPE STREQUAL Release) # it needs an optimizing build
        add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
    endif()
endif()

add_library(engram_options INTERFACE)
target_include_directories(engram_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(engram_options INTERFACE _GNU_SOURCE)
target_compile_options(engram_options INTERFACE
    -Wall -Wextra -Wconversion -Wno-sign-conversion -Wshadow -Wstrict-prototypes
    -Wmissing-prototypes -Wvla -Wformat=2
    $<$<BOOL:${ENGRAM_WERROR}>:-Werror>
    $<$<BOOL:${ENGRAM_ANALYZE}>:-fanalyzer>)
if(ENGRAM_SANITIZE)
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
    target_compile_options(engram_options INTERFACE ${sanitizers})
    target_link_options(engram_options INTERFACE ${sanitizers})
endif()
