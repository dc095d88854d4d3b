# What is installed beside the executables, and the Debian package.
if(EXISTS ${PROJECT_SOURCE_DIR}/agent-configs)
    install(DIRECTORY agent-configs DESTINATION ${CMAKE_INSTALL_DATADIR}/engram)
endif()

# The manual page and the completions come from the commands' own tables.
set(generated ${PROJECT_BINARY_DIR}/generated)
add_custom_command(OUTPUT ${generated}/engram.1 ${generated}/engram.bash ${generated}/_engram ${generated}/engram.fish
    COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}
    COMMAND engram man > ${generated}/engram.1
    COMMAND engram completion bash > ${generated}/engram.bash
    COMMAND engram completion zsh > ${generated}/_engram
    COMMAND engram completion fish > ${generated}/engram.fish
    DEPENDS engram
    COMMENT "Writing the manual page and the completions"
    VERBATIM)
add_custom_target(engram_generated ALL DEPENDS ${generated}/engram.1)
install(FILES ${generated}/engram.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${generated}/engram.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME engram)
install(FILES ${generated}/_engram DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${generated}/engram.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME engram)
set(CPACK_PACKAGE_VENDOR "engram contributors")
set(CPACK_PACKAGE_CONTACT "engram contributors <engram@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
"engram remembers decisions, facts, conversations, documents, symbols and
commits of a project as one graph, and answers a question with the context
that it needs.")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CPACK_PACKAGE_CONTACT}")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS poppler-utils)
include(CPack)
