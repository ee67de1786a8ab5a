# Everything here comes from the system's packages (scripts/setup.sh installs them); nothing is downloaded by the build.
find_package(Threads REQUIRED)
find_package(CLI11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(fmt REQUIRED)
find_package(hwy REQUIRED)  # Google Highway: one source for every instruction set, chosen at run time
if(ONEKERNEL_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(ONEKERNEL_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()
