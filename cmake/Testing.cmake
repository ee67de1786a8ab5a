# onekernel_test(<name> <library to link>... ): <name>.cc beside this CMakeLists, run by ctest.
include(GoogleTest)

function(onekernel_test name)
  add_executable(${name} ${name}.cc)
  target_link_libraries(${name} PRIVATE ${ARGN} GTest::gtest GTest::gtest_main)
  onekernel_warnings(${name})
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
endfunction()
