# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""observed_calls.py HEADER_FOLDER OUTPUT: makes the table of observed_calls.cpp, which stands between a program of tests and
libclpool.so: for each function its wrapper, and the entry points of OpenCL that its comment lets it call."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "capi" / "reader"))
import headers  # noqa: E402


def declared(parameter):
    base, bracket, extent = parameter.type.partition("[")
    return f"{base} {parameter.name}{bracket}{extent}"


def main(folder, output):
    calls = headers.opencl_calls(folder)
    functions = [f for name, text in headers.texts(folder).items() for f in headers.functions(name, text)]
    lines = ["// Made by observed_calls.py from the public headers.", "constexpr Function functions[] = {"]
    lines += [f'    {{"{f.name}", " {" ".join(sorted(calls[f.name]))} "}},' for f in functions]
    lines += ["};", ""]
    for index, f in enumerate(functions):
        parameters = ", ".join(map(declared, f.parameters)) or "void"
        arguments = ", ".join(parameter.name for parameter in f.parameters)
        lines += [f'extern "C" CLPOOL_API {f.result} {f.name}({parameters}) noexcept {{',
                  f'  static const auto next = reinterpret_cast<decltype(&{f.name})>(next_of("{f.name}"));',
                  f"  const Inside inside({index});",
                  f"  return next({arguments});",
                  "}"]
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


main(*sys.argv[1:])
