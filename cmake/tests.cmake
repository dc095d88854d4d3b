# ctest runs every tests/unit/NAME_test.c, every script tests/FOLDER/*.test.sh or *_test.py, and the
# checks of the source tree.
set(test_environment
    ENGRAM_SOURCE_DIR=${PROJECT_SOURCE_DIR}
    ENGRAM_BUILD_DIR=${PROJECT_BINARY_DIR}
    ENGRAM_BINARY=${PROJECT_BINARY_DIR}/engram
    ENGRAM_WORKER=${PROJECT_BINARY_DIR}/engram-worker
    UBSAN_OPTIONS=print_stacktrace=1)

function(engram_test name)
    add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES TIMEOUT 600 ENVIRONMENT "${test_environment}")
endfunction()

if(cmocka_FOUND)
    engram_glob(unit_tests tests/unit/*_test.c)
    foreach(source IN LISTS unit_tests)
        get_filename_component(name ${source} NAME_WE)
        add_executable(${name} ${source})
        target_link_libraries(${name} PRIVATE engram_worker_lib PkgConfig::cmocka)
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY tests)
        string(REGEX REPLACE "_test$" "" name ${name})
        engram_test(unit.${name} ${PROJECT_BINARY_DIR}/tests/${name}_test)
    endforeach()
else()
    message(STATUS "unit tests: left out, there is no cmocka")
endif()

engram_glob(scripts tests/*/*.test.sh tests/*/*_test.py)
foreach(script IN LISTS scripts)
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/tests ${script})
    string(REGEX REPLACE "(\\.test\\.sh|_test\\.py)$" "" name ${name})
    string(REPLACE / . name ${name})
    if(script MATCHES "\\.py$")
        engram_test(${name} python3 ${script})
    else()
        engram_test(${name} bash ${script})
    endif()
endforeach()

engram_glob(checks tests/*.sh)
foreach(script IN LISTS checks)
    get_filename_component(name ${script} NAME_WE)
    engram_test(tree.${name} bash ${script})
endforeach()

# Benchmarks of single parts: built when asked for, never run by ctest.
engram_glob(benchmarks tests/bench/*_bench.c)
foreach(source IN LISTS benchmarks)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} EXCLUDE_FROM_ALL ${source})
    target_link_libraries(${name} PRIVATE engram_parsers)
endforeach()
