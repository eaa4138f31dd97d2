# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""For Conan 2: conan create packaging/packages/recipes/conan, in a checkout."""
import re
from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class ClpoolConan(ConanFile):
    """The library alone, shared or static."""

    name = "clpool"
    description = "Memory pools and memory runtime for OpenCL"
    license = "Apache-2.0"
    url = "https://github.com/libclpool/libclpool"
    homepage = "https://github.com/libclpool/libclpool"
    topics = ("opencl", "gpu", "memory-pool", "allocator")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False]}
    default_options = {"shared": True}

    def set_version(self):
        text = (Path(self.recipe_folder).resolve().parents[3] / "CMakeLists.txt").read_text(encoding="utf-8")
        self.version = re.search(r"project\(clpool VERSION (\S+)", text).group(1)

    def export_sources(self):
        root = Path(self.recipe_folder).resolve().parents[3]
        for pattern in ("CMakeLists.txt", "LICENSE", "capi/*", "core/*", "packaging/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def requirements(self):
        self.requires("opencl-headers/2023.04.17", transitive_headers=True)
        self.requires("opencl-icd-loader/2023.04.17", transitive_libs=True)

    def validate_build(self):
        check_min_cppstd(self, 20)  # of the library's own sources; those who use it need C99 or C++17

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("PROGRAM", "TESTS", "EXAMPLES"):
            toolchain.cache_variables[f"CLPOOL_BUILD_{part}"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder) / "licenses")
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "clpool")
        self.cpp_info.set_property("cmake_target_name", "clpool::clpool")
        self.cpp_info.set_property("pkg_config_name", "clpool")
        self.cpp_info.libs = ["clpool"]
        self.cpp_info.requires = ["opencl-headers::opencl-headers", "opencl-icd-loader::opencl-icd-loader"]
        if not self.options.shared:
            self.cpp_info.system_libs = ["stdc++", "m", "pthread"]
