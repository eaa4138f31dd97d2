# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What pyproject.toml cannot say: the version is CMake's, and CMake builds what goes into the package beside its Python
files: the extension module, libclpool.so.1, and the program clpool where its libraries are there (CLI11, fmt, nlohmann-json,
zlib). The C++ runtime is linked in, OpenCL's loader is the machine's."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel

ROOT = Path(__file__).resolve().parent
HEADERS_OF_PROGRAM = ("CLI/CLI.hpp", "fmt/format.h", "nlohmann/json.hpp", "zlib.h")
STATIC = "-static-libstdc++ -static-libgcc"


def version() -> str:
    """The version in CMakeLists.txt."""
    found = re.search(r"project\(clpool VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit("setup.py: CMakeLists.txt names no version")
    return found.group(1)


def can_build_program() -> bool:
    """Whether the compiler finds what the program includes."""
    source = "".join(f"#include <{name}>\n" for name in HEADERS_OF_PROGRAM)
    tried = subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", "-x", "c++", "-"], input=source,
                           text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return tried.returncode == 0


class Native(Distribution):
    """A package with files of one platform."""

    def has_ext_modules(self) -> bool:
        return True


class BuildNative(build_ext):
    """Builds with CMake, and copies what is installed into the package."""

    def run(self) -> None:
        build = Path(self.build_temp).resolve() / "cmake"
        tree = build / "tree"
        options = {
            "CMAKE_BUILD_TYPE": "Release", "CLPOOL_WRAPPERS": "python", "CLPOOL_BUILD_TESTS": "OFF",
            "CLPOOL_BUILD_EXAMPLES": "OFF", "CLPOOL_BUILD_PROGRAM": "ON" if can_build_program() else "OFF",
            "CLPOOL_PROGRAM_FMT": "fmt::fmt-header-only", "CMAKE_INSTALL_LIBDIR": "lib/clpool",
            "CMAKE_INSTALL_BINDIR": "lib/clpool/bin", "CLPOOL_PYTHON_INSTALL_DIR": "lib",
            "CMAKE_SHARED_LINKER_FLAGS": STATIC, "CMAKE_MODULE_LINKER_FLAGS": STATIC, "CMAKE_EXE_LINKER_FLAGS": STATIC,
            "Python3_EXECUTABLE": sys.executable,
        }
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), *(f"-D{key}={value}" for key, value in options.items())],
                       check=True)
        subprocess.run(["cmake", "--build", str(build), "--parallel", str(len(os.sched_getaffinity(0)))], check=True)
        subprocess.run(["cmake", "--install", str(build), "--strip", "--prefix", str(tree)], check=True)
        installed = tree / "lib" / "clpool"
        package = ROOT / "wrappers" / "python" / "clpool" if self.inplace else Path(self.build_lib) / "clpool"
        (package / "bin").mkdir(parents=True, exist_ok=True)
        generated = (installed / name for name in ("_errors.py", "_numbers.py", "_opencl.py", "_results.py"))
        for file in (*installed.glob("_native.*.so"), *generated, installed / "libclpool.so.1", installed / "bin" / "clpool"):
            if file.exists():
                shutil.copy2(file.resolve(), package / file.relative_to(installed))


class Wheel(bdist_wheel):
    """Names the oldest C library that the files need, as PEP 600 has it, instead of "linux"."""

    def get_tag(self) -> tuple:
        implementation, abi, platform = super().get_tag()
        needed = (0, 0)
        for file in Path(self.bdist_dir).rglob("*"):
            if file.is_file() and file.read_bytes()[:4] == b"\x7fELF":
                symbols = subprocess.run(["objdump", "-T", str(file)], capture_output=True, text=True, check=True).stdout
                versions = re.findall(r"GLIBC_(\d+)\.(\d+)", symbols)
                needed = max([needed, *((int(major), int(minor)) for major, minor in versions)])
        if needed == (0, 0) or not platform.startswith("linux_"):
            return implementation, abi, platform
        return implementation, abi, f"manylinux_{needed[0]}_{needed[1]}_{platform[len('linux_'):]}"


setup(version=version(), distclass=Native, cmdclass={"build_ext": BuildNative, "bdist_wheel": Wheel})
