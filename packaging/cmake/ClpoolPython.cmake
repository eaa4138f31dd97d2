# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# The Python interpreter of tests and wrappers: the distribution's, even where another python3 stands first on PATH (its
# packages, such as NumPy, are the ones that the set-up installs). -DPython3_EXECUTABLE=… chooses another.
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()
