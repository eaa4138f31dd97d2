# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# Fill in SHA512 when a release is tagged.
vcpkg_from_github(OUT_SOURCE_PATH SOURCE_PATH REPO libclpool/libclpool REF "v${VERSION}" SHA512 0 HEAD_REF main)
vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES tools CLPOOL_BUILD_PROGRAM)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
                      OPTIONS ${features} -DCLPOOL_BUILD_TESTS=OFF -DCLPOOL_BUILD_EXAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/clpool)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES clpool AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
