# cmake -DNPM=… -DFROM=<folder of package.json> -DTO=<folder> -P fetch_echarts.cmake
# Writes TO/echarts.min.js, as the lock file says it is.
file(COPY ${FROM}/package.json ${FROM}/package-lock.json DESTINATION ${TO})
execute_process(
  COMMAND ${NPM} ci --omit=dev --ignore-scripts --no-audit --no-fund
  WORKING_DIRECTORY ${TO}
  RESULT_VARIABLE result
  OUTPUT_VARIABLE said
  ERROR_VARIABLE said)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "npm ci failed:\n${said}\n"
                      "Without a network, configure with -DKR_ECHARTS_DIR=FOLDER, a folder that "
                      "contains echarts.min.js.")
endif()
configure_file(${TO}/node_modules/echarts/dist/echarts.min.js ${TO}/echarts.min.js COPYONLY)
file(TOUCH ${TO}/echarts.min.js)
