# Run by ctest with BUILD, SOURCE, EXAMPLES, SCRATCH, GENERATOR, CXX, FLAGS and VERSION.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
set(prefix "${SCRATCH}/first")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")
# Nothing in it may remember where it was installed.
set(moved "${SCRATCH}/moved")
file(RENAME "${prefix}" "${moved}")

run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${SCRATCH}/build" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${moved}"
    "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DCMAKE_C_FLAGS=${FLAGS}" -DCMAKE_BUILD_TYPE=Release
    "-DEXPECTED_VERSION=${VERSION}")
run("${CMAKE_COMMAND}" --build "${SCRATCH}/build")
run("${CMAKE_CTEST_COMMAND}" --test-dir "${SCRATCH}/build" --output-on-failure --no-tests=error)

# The examples are built as their README says; tests/python/test_examples.py runs them.
run("${CMAKE_COMMAND}" -S "${EXAMPLES}" -B "${SCRATCH}/examples" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${moved}"
    "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=${FLAGS} -Werror")
run("${CMAKE_COMMAND}" --build "${SCRATCH}/examples")
