# What `cmake --install` puts in place: the public headers, libonekernel (shared and static; C++ and C), the engine program, and
# a package for find_package(onekernel): onekernel::onekernel, onekernel::onekernel_static, onekernel::onekernel-engine.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# One library out of the folders' libraries; only what is marked ONEKERNEL_EXPORT can be seen in the shared one.
set(parts base kernel engine wire transport client c_api)
list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_OBJECTS:onekernel_\\1>" OUTPUT_VARIABLE objects)
add_library(onekernel SHARED ${objects})
add_library(onekernel_static STATIC ${objects})
# Before 1.0 a minor version may change the interface, from then on only a major one.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(soversion "0.${PROJECT_VERSION_MINOR}")
else()
  set(soversion "${PROJECT_VERSION_MAJOR}")
endif()
set_target_properties(onekernel PROPERTIES VERSION "${PROJECT_VERSION}" SOVERSION "${soversion}")
set_target_properties(onekernel_static PROPERTIES OUTPUT_NAME onekernel)
foreach(target onekernel onekernel_static)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_include_directories(${target} INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
                                                 "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                                                 "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>")
  target_link_libraries(${target} PRIVATE $<TARGET_NAME_IF_EXISTS:hwy::hwy> Threads::Threads)
endforeach()

install(TARGETS onekernel onekernel_static onekernel-engine EXPORT onekernelTargets
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT runtime
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT development
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/onekernel" "${PROJECT_BINARY_DIR}/include/onekernel"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development FILES_MATCHING PATTERN "*.h")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/onekernel")
install(EXPORT onekernelTargets NAMESPACE onekernel:: DESTINATION "${package_dir}" COMPONENT development)
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/onekernelConfig.cmake.in" "${PROJECT_BINARY_DIR}/onekernelConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/onekernelConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/onekernelConfig.cmake" "${PROJECT_BINARY_DIR}/onekernelConfigVersion.cmake"
        DESTINATION "${package_dir}" COMPONENT development)
