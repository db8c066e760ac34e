# The manual page and the completions of shells: kr prints them itself.
set(manual ${PROJECT_BINARY_DIR}/manual)
file(MAKE_DIRECTORY ${manual})
add_custom_command(OUTPUT ${manual}/kr.1 ${manual}/kr.bash ${manual}/_kr ${manual}/kr.fish
  COMMAND kr_cli man > ${manual}/kr.1
  COMMAND kr_cli completions bash > ${manual}/kr.bash
  COMMAND kr_cli completions zsh > ${manual}/_kr
  COMMAND kr_cli completions fish > ${manual}/kr.fish
  DEPENDS kr_cli VERBATIM)
add_custom_target(kr_manual ALL DEPENDS ${manual}/kr.1)
install(FILES ${manual}/kr.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${manual}/kr.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME kr)
install(FILES ${manual}/_kr DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${manual}/kr.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
