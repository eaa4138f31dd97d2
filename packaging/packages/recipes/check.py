# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the recipes as far as the distribution's tools can: their syntax, and that the options that they name exist in the
build. Ends with 77 where Python's jinja2 and yaml are missing."""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import jinja2
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
# What vcpkg offers to a portfile, doing nothing.
STUBS = """
cmake_minimum_required(VERSION 3.22)
foreach(name vcpkg_from_github vcpkg_check_features vcpkg_cmake_configure vcpkg_cmake_install vcpkg_cmake_config_fixup
             vcpkg_fixup_pkgconfig vcpkg_copy_tools vcpkg_install_copyright)
  cmake_language(EVAL CODE "function(${name})\\nendfunction()")
endforeach()
set(CURRENT_PACKAGES_DIR "${CMAKE_CURRENT_BINARY_DIR}/none")
"""


def check_conda() -> None:
    """meta.yaml, rendered as conda-build would."""
    template = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string((HERE / "conda/meta.yaml").read_text())
    text = template.render(compiler=lambda name: f"{name}-compiler", stdlib=lambda name: f"{name}-stdlib",
                           pin_subpackage=lambda name, **_: name)
    recipe = yaml.safe_load(text)
    for output in recipe["outputs"]:
        script = HERE / "conda" / output["script"]
        subprocess.run(["bash", "-n", str(script)], check=True)


def check_vcpkg() -> None:
    """The manifest, and the portfile with functions that do nothing."""
    json.loads((HERE / "vcpkg/vcpkg.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "port.cmake"
        script.write_text(STUBS + (HERE / "vcpkg/portfile.cmake").read_text())
        subprocess.run(["cmake", "-P", str(script)], cwd=folder, check=True)


def check_options() -> None:
    """Every CMake option that a recipe names is one of the build."""
    known = set(re.findall(r"(?:option|set)\((CLPOOL_\w+)", "".join(
        path.read_text() for path in [*ROOT.glob("*.txt"), *ROOT.glob("wrappers/*/CMakeLists.txt"), *ROOT.glob("capi/**/CMakeLists.txt")])))
    for path in HERE.rglob("*"):
        if path.is_file() and path != Path(__file__).resolve():
            named = set(re.findall(r"-D(CLPOOL_\w+)", path.read_text()))
            assert named <= known, f"{path}: {named - known}"


def main() -> None:
    """All of them, each named before it is tried."""
    for name, check in (("conda", check_conda), ("vcpkg", check_vcpkg), ("options", check_options),
                        ("conan", lambda: compile((HERE / "conan/conanfile.py").read_text(), "conanfile.py", "exec"))):
        print(name)
        check()


if __name__ == "__main__":
    main()
