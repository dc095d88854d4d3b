# engram_embed(LIBRARY GLOB HEADER)
# Compiles the files that match into LIBRARY as text. For tools/remember.json, HEADER.h declares
#     extern const char embed_tools_remember_json[]; (it ends in NUL)
#     extern const size_t embed_tools_remember_json_size; (without the NUL)
# and a table of all of them by file name, `struct embed_file HEADER_files[]`, with HEADER_count.
function(engram_embed library glob header)
    engram_glob(files ${glob})
    set(dir ${PROJECT_BINARY_DIR}/embed/${header})
    set(script ${PROJECT_SOURCE_DIR}/cmake/embed_write.cmake)
    add_custom_command(OUTPUT ${dir}/${header}.h ${dir}/${header}.c
        COMMAND ${CMAKE_COMMAND} -D "FILES=${files}" -D ROOT=${PROJECT_SOURCE_DIR}
            -D OUT=${dir}/${header} -P ${script}
        DEPENDS ${files} ${script}
        COMMENT "Embedding ${glob}"
        VERBATIM)
    target_sources(${library} PRIVATE ${dir}/${header}.c ${dir}/${header}.h)
    target_include_directories(${library} PUBLIC ${dir})
endfunction()
