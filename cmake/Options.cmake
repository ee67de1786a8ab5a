# Compiler settings shared by every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# The reference arithmetic rounds every operation, so a*b+c must never become one fused operation.
add_compile_options(-ffp-contract=off)

if(ONEKERNEL_SANITIZE)
  add_compile_options(-fsanitize=${ONEKERNEL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ONEKERNEL_SANITIZE})
endif()

if(ONEKERNEL_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)  # coverage of the library, which is what the fuzzer steers by
endif()

# onekernel_library(<folder> SOURCES ... DEPENDS ...): the static library of one folder under src/.
function(onekernel_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(onekernel_${name} STATIC ${ARG_SOURCES})
  target_include_directories(onekernel_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include"
                                                      "${PROJECT_BINARY_DIR}/include")
  target_link_libraries(onekernel_${name} PUBLIC ${ARG_DEPENDS})
  onekernel_warnings(onekernel_${name})
endfunction()

function(onekernel_warnings target)
  # Designated initializers leave the rest at its default on purpose. GCC 12 warns of string concatenation without cause
  # (its bug 105651).
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
                                           -Wno-missing-field-initializers $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
endfunction()
