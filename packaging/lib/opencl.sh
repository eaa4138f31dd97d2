# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# Makes an NVIDIA GPU visible to OpenCL where its driver is installed but not registered with the ICD loader, as in
# many containers. Other drivers register themselves. Sourced after steps.sh and packages.sh.

vendors=/etc/OpenCL/vendors

# nvidia_opencl: prints what an .icd file must say, if there are a GPU and its OpenCL library.
nvidia_opencl() {
  local folder
  [ -e /dev/nvidiactl ] || [ -e /proc/driver/nvidia/version ] || return 1
  if [[ "$(ldconfig -p)" == *"libnvidia-opencl.so.1 "* ]]; then
    echo libnvidia-opencl.so.1
    return
  fi
  for folder in /usr/local/nvidia/lib64 /usr/local/nvidia/lib /usr/lib64-nvidia /usr/local/cuda/compat; do
    [ -e "$folder/libnvidia-opencl.so.1" ] && echo "$folder/libnvidia-opencl.so.1" && return
  done
  return 1
}

# register_gpu: writes the missing nvidia.icd as root, else points the ICD loader to a folder that has it too.
register_gpu() {
  local library
  [ -z "${OCL_ICD_VENDORS:-}" ] || return 0
  library=$(nvidia_opencl) || return 0
  grep -qs libnvidia-opencl "$vendors"/*.icd && return 0
  if [ "$(id -u)" = 0 ] && mkdir -p "$vendors" && echo "$library" 2>/dev/null >"$vendors/nvidia.icd"; then
    say "      An NVIDIA driver without OpenCL registration: wrote $vendors/nvidia.icd"
    return
  fi
  mkdir -p "$root/build/vendors"
  cp -f "$vendors"/*.icd "$root/build/vendors/" 2>/dev/null
  echo "$library" >"$root/build/vendors/nvidia.icd"
  export OCL_ICD_VENDORS="$root/build/vendors/"
  say "      An NVIDIA driver without OpenCL registration: using OCL_ICD_VENDORS=$OCL_ICD_VENDORS for this run"
}
