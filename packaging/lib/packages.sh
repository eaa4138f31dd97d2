# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# The distribution's packages by component, for Debian 12 and Ubuntu 24.04 (the names are the same on both), and
# their installation by apt. Whoever adds a dependency adds it here. Sourced after steps.sh.

packages_build=(cmake g++ ninja-build pkg-config ocl-icd-opencl-dev opencl-headers)
packages_program=(libcli11-dev libfmt-dev nlohmann-json3-dev zlib1g-dev)
packages_device=(pocl-opencl-icd)
packages_tests=(libgtest-dev libgmock-dev make python3)
packages_tests_wanted=(abigail-tools clang-format-14 clang-tidy-14 mesa-opencl-icd oclgrind python3-clang-14 python3-jinja2 python3-yaml valgrind)
packages_benchmarks=(libbenchmark-dev libmimalloc-dev)
packages_python=(swig python3-dev python3-numpy python3-pytest python3-pyopencl mypy)
packages_java=(swig default-jdk-headless junit5 libjna-java)
packages_packaging_wanted=(cli-common-dev cpio debhelper debootstrap dh-python javahelper lintian python3-jinja2 python3-pip python3-venv python3-wheel python3-yaml rpm)
packages_docs=(doxygen furo python3-breathe python3-myst-parser python3-sphinx)
packages_csharp=(swig mono-devel nunit-console libnunit-cil-dev)

# known_system: Debian 12 or Ubuntu 24.04, else says what to do by hand and ends with 2.
known_system() {
  local ID=unknown VERSION_ID='' PRETTY_NAME='an unknown system'
  [ -r /etc/os-release ] && . /etc/os-release
  case "$ID $VERSION_ID" in
    "debian 12" | "ubuntu 24.04") return ;;
  esac
  cat >&2 <<END
$script_name: this is $PRETTY_NAME; the set-up knows Debian 12 and Ubuntu 24.04.
By hand: install CMake 3.22 or later, Ninja, a C++20 compiler (gcc 12 or later), pkg-config, the OpenCL headers and an
ICD loader, an OpenCL driver such as PoCL, CLI11, fmt, nlohmann-json, zlib and GoogleTest; then
  cmake --preset dev && cmake --build --preset dev && ctest --preset dev
  build/dev/capi/program/clpool devices
END
  exit 2
}

# is_there NAME: installed as dpkg shows it, or, for what often comes another way (pip, a container's recipe), in place.
is_there() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ] && return
  case "$1" in
    cmake) printf '%s\n' 3.22 "$(cmake --version 2>/dev/null | sed -n 's/^cmake version //p')" | sort -VC ;;
    make | ninja-build) command -v "${1%-build}" ;;
    opencl-headers) [ -e /usr/include/CL/cl.h ] ;;
    *) return 1 ;;
  esac >/dev/null
}

# missing_packages NAME...: those that are not there.
missing_packages() {
  local name
  for name in "$@"; do
    is_there "$name" || echo "$name"
  done | sort -u
}

# as_root COMMAND...: as it is for root, else through sudo, which asks for a password only on a terminal.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# may_become_root: asks for the password while there is a terminal to ask on.
may_become_root() {
  [ "$(id -u)" = 0 ] && return
  command -v sudo >/dev/null || return 1
  sudo -n true 2>/dev/null || { [ -t 0 ] && [ -z "${CI:-}" ] && sudo -v; }
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a UCF_FORCE_CONFFOLD=1 \
    apt-get -q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@"
}

# apt_install NAME...: a failing update (one broken third-party source, say) does not matter as long as the packages
# are found.
apt_install() {
  local name
  apt_get update || echo "apt-get update failed; going on with the package lists that are there"
  for name in "$@"; do
    apt-cache show "$name" >/dev/null 2>&1 && continue
    echo "apt knows no package $name: is the network there, and on Ubuntu the component \"universe\" enabled?"
    return 1
  done
  apt_get install --no-install-recommends "$@"
}

# install_packages NAME...: the set-up step; apt is not called when everything is there.
install_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if [ ${#missing[@]} = 0 ]; then
    announce "Packages: all $# are installed"
    passed "done"
    return
  fi
  may_become_root ||
    die "these packages are missing and need root or sudo: apt-get install --no-install-recommends ${missing[*]}"
  step "Installing ${#missing[@]} packages of the distribution" apt_install "${missing[@]}"
}

# want_packages NAME...: the same for what only some tests need: where it cannot be had, they are skipped and say so.
want_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if [ ${#missing[@]} = 0 ]; then
    announce "Packages that only some tests need: all $# are installed"
    passed "done"
    return
  fi
  announce "Installing ${missing[*]}, which only some tests need"
  if may_become_root && apt_install "${missing[@]}" >>"$log" 2>&1 </dev/null; then
    passed "done"
  else
    passed "not to be had here: those tests are skipped"
  fi
}
