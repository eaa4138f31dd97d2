# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a C++ file that calls every function of the C API with arguments of a World (capi_world.hpp): one thunk for each
function that the public headers declare, and one filler for each struct that callers fill in.

    capi_calls.py FOLDER_OF_HEADERS OUTPUT

Arguments follow from their types and names, below; a function that needs more has its thunk in capi_special.cpp. One that
fits nowhere ends this script with an error, so that no new function is forgotten.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "capi" / "reader"))
import headers  # noqa: E402

# Functions with a thunk of their own in capi_special.cpp, and why.
SPECIAL = {
    "clpool_allocator_create_custom": "functions of the caller",
    "clpool_buffer_create": "host memory that must outlive the buffer",
    "clpool_characterize_performance": "figures that would measure for hours",
    "clpool_context_create_default": "gives OpenCL's own objects",
    "clpool_heap_allocate": "ranges belong to their heap",
    "clpool_heap_destroy": "ranges end with their heap",
    "clpool_heap_free": "ranges belong to their heap",
    "clpool_heap_range_offset": "ranges belong to their heap",
    "clpool_heap_range_size": "ranges belong to their heap",
    "clpool_heap_range_space": "ranges belong to their heap",
    "clpool_memo_get": "the object is of the kind that another argument names",
    "clpool_mem_wrap": "may take over a reference",
    "clpool_sampler_create": "gives OpenCL's own object",
    "clpool_sampler_create_with_properties": "gives OpenCL's own object",
    "clpool_set_message_callback": "functions of the caller",
    "clpool_svm_wrap": "the memory must be as large as is said",
}
# Functions that are not called, and why.
LEFT_OUT = {}

# Functions whose field has the name of another one.
FUNCTIONS = {("clpool_memo_ops", "destroy"): "unmake"}
HANDLES = ("allocator", "pool", "mem", "map", "heap", "trace", "trace_writer", "device_data", "memo", "memo_value")
LARGE_RESULTS = {"clpool_device_limits"}  # filled in by callers and by the library

# A pointer, the number that says how much is there, and what makes both.
PAIRS = {
    ("host", "host_size"): "bytes", ("text", "capacity"): "bytes", ("buffer", "capacity"): "bytes",
    ("key", "key_size"): "bytes", ("value", "size"): "bytes", ("text", "length"): "log",
    ("pattern", "pattern_size"): "pattern", ("color", "color_size"): "color",
    ("wait_list", "wait_count"): "events", ("events", "count"): "events", ("mems", "count"): "mems",
    ("shape", "rank"): "extents", ("stored_shape_or_null", "stored_rank"): "extents",
    ("devices", "capacity"): "room<cl_device_id>", ("sizes", "capacity"): "room<uint32_t>",
    ("formats", "capacity"): "room<cl_image_format>",
    ("data", "size"): "bytes", ("queues", "queue_count"): "queues",  # of structs
}
TRIPLES = {"origin", "region", "target_origin", "source_origin"}
NUMBERS = {"size_t", "uint32_t", "uint64_t", "int32_t", "int64_t", "cl_uint", "cl_int", "cl_bitfield", "cl_mem_flags",
           "cl_svm_mem_flags", "cl_map_flags", "cl_mem_migration_flags", "cl_mem_object_type", "cl_mem_info", "cl_image_info",
           "cl_channel_order", "cl_channel_type", "cl_addressing_mode", "cl_filter_mode", "cl_device_type", "clpool_status"}
OBJECTS = {"cl_context": "context", "cl_device_id": "device", "cl_platform_id": "platform", "cl_command_queue": "queue",
           "cl_kernel": "kernel"}


def parameters(text):
    """(type, name) of each, arrays with their extent."""
    found = []
    for part in (part.strip() for part in text.split(",")):
        if part != "void":
            kind, name, extent = re.fullmatch(r"(.*?)(\w+)(\[\w+\])?", part).groups()
            found.append((kind.strip() + (extent or ""), name))
    return found


def declarations(folder):
    for text in headers.texts(folder).values():
        for match in re.finditer(r"^CLPOOL_API\b([^;]*);", headers.without_comments(text), re.MULTILINE | re.DOTALL):
            plain = " ".join(match.group(1).split())
            result, name, inner = re.fullmatch(r"(.*?)\b(clpool_\w+)\s*\((.*)\)\s*CLPOOL_NOEXCEPT", plain).groups()
            yield result.strip(), name, parameters(inner)


def struct_fields(folder):
    """Fields of structs, {name: [(type, name)]}; functions as type "function"."""
    found = {}
    for text in headers.texts(folder).values():
        for body, name in re.findall(r"typedef struct \w+ \{(.*?)\}\s*(\w+);", headers.without_comments(text), re.DOTALL):
            fields = []
            for line in filter(None, (" ".join(part.split()) for part in body.split(";"))):
                function = re.search(r"\(\*(\w+)\)\s*\(", line)
                fields += [("function", function.group(1))] if function else parameters(line)
            found[name] = fields
    return found


def argument(kind, name, structs):
    """(expression, statement to run after the call or "")."""
    plain = kind.replace("const ", "").replace(" const", "").rstrip("*").strip()
    stars = kind.count("*")
    handle = plain[7:] if plain.startswith("clpool_") and plain[7:] in HANDLES else None
    if handle and stars == 2 and not kind.startswith("const"):
        return f"w.out<{plain}>()", f"w.made(result, {name});"
    if handle and stars == 1:
        return f"w.live<{plain}>()", ""
    if kind == "cl_event*":
        return "w.event_out()", f"w.made_event(result, {name});"
    if kind in OBJECTS:
        return f"w.{OBJECTS[kind]}()", ""
    if kind in NUMBERS:
        return f"w.number<{kind}>()" if plain != "size_t" else "w.size()", ""
    if kind == "const size_t*" and name in TRIPLES:
        return "w.triple()", ""
    if kind == "size_t[3]":
        return "w.place<size_t>(3)", ""
    if kind == "const char*":
        return ("w.path()" if name == "path" else "w.text()"), ""
    if plain in structs and stars == 1:
        is_input = kind.startswith("const") or plain in LARGE_RESULTS
        return (f"w.options<{plain}>()" if is_input else f"w.result<{plain}>()"), ""
    if kind == "const cl_image_format*":
        return "w.format()", ""
    if stars == 1 and not kind.startswith("const") and plain in NUMBERS | set(OBJECTS) | {"cl_mem", "cl_image_format"}:
        return f"w.place<{plain}>(1)", ""
    if kind == "void**":
        return "w.place<void*>(1)", ""
    if kind == "void*" and name in ("user", "object"):
        return "w.any_pointer()", ""
    if kind == "clpool_pool_visitor":
        return "w.visitor()", ""
    raise SystemExit(f"capi_calls.py: no rule for the argument '{kind} {name}'")


def thunk(result, name, given, structs):
    given = [(kind, "answer" if each == "result" else each) for kind, each in given]  # as not to be `result`
    names = [argument_name for _, argument_name in given]
    lines, after, done = [], [], {}
    for (pointer, count), maker in PAIRS.items():
        if pointer in names and count in names and not (pointer == "text" and dict((n, k) for k, n in given)[pointer] ==
                                                        "const char*" and count == "capacity"):
            lines.append(f"  const auto {pointer}_pair = w.{maker}();")
            done[pointer], done[count] = f"{pointer}_pair.first", f"{pointer}_pair.second"
    for kind, argument_name in given:
        expression, later = (done[argument_name], "") if argument_name in done else argument(kind, argument_name, structs)
        if argument_name in done and kind.endswith("*"):
            expression = f"reinterpret_cast<{kind}>({expression})" if "const*" in kind else f"static_cast<{kind}>({expression})"
        elif argument_name in done:
            expression = f"static_cast<{kind}>({expression})"
        if name.endswith("_init"):  # the struct of this version, whole
            expression = expression.replace("result<", "place<").replace("options<", "place<").replace("()", "(1)")
        if name.endswith("_open"):
            expression = expression.replace("path()", "path_to_read()")
        lines.append(f"  const auto {argument_name} = {expression};")
        after += [f"  {later}"] if later else []
    call = f"{name}({', '.join(names)})"
    if result == "void":
        lines.append(f"  {call};")
    else:
        lines.append(f"  const auto result = {call};")
        lines.append(f'  w.check{"_status" if result == "clpool_status" else ""}(result, "{name}");')
    first = given[0][0].replace("const ", "").rstrip("*") if given else ""
    if re.search(r"_(release|release_later|release_idle|try_release|release_on)$", name):
        after.append(f"  if (result == CLPOOL_SUCCESS) w.gone<{first}>();")
    if name.endswith("_retain"):
        after.append(f"  if (result == CLPOOL_SUCCESS) w.again<{first}>();")
    return [f"void call_{name}(World& w) {{", "  static_cast<void>(w);"] + lines + after + ["}", ""]


def filler(name, fields, structs):
    """Sets every field but struct_size."""
    names = [field for _, field in fields]
    lines, done = [], set()
    for (pointer, count), maker in PAIRS.items():
        if pointer in names and count in names:
            kind = dict((n, k) for k, n in fields)[pointer]
            maker = "lasting" if name == "clpool_image_options" else maker
            lines.append(f"  const auto {pointer}_pair = w.{maker}();")
            lines.append(f"  s.{pointer} = static_cast<{kind}>({pointer}_pair.first);")
            lines.append(f"  s.{count} = static_cast<decltype(s.{count})>({pointer}_pair.second);")
            done |= {pointer, count}
    for kind, field in fields:
        extent = re.search(r"\[(\w+)\]$", kind)
        plain = re.sub(r"\[\w+\]$", "", kind)
        if field == "struct_size" or field in done:
            continue
        if field == "version":
            lines.append("  s.version = w.version();")
        elif field == "reserved":
            lines.append("  s.reserved = w.rare<uint32_t>();")
        elif kind == "function" or kind == "clpool_message_callback":
            lines.append(f"  s.{field} = w.function_{FUNCTIONS.get((name, field), field)}();")
        elif extent:
            lines.append(f"  for (auto& each : s.{field}) each = {argument(plain, field, structs)[0]};")
        elif kind == "cl_image_format":
            lines.append(f"  s.{field} = *w.format_value();")
        elif kind.endswith("*") and plain.replace("const ", "").rstrip("*") in structs:
            lines.append(f"  s.{field} = w.options<{plain.replace('const ', '').rstrip('*')}>();")
        elif kind == "cl_double":
            lines.append(f"  s.{field} = 0;")
        else:
            lines.append(f"  s.{field} = {argument(kind, field, structs)[0]};")
    return [f"void fill(World& w, {name}& s) {{", "  static_cast<void>(w);", "  static_cast<void>(s);"] + lines + ["}", ""]


def main(folder, output):
    structs = struct_fields(folder)
    all_functions = list(declarations(folder))
    inputs = {kind.replace("const ", "").rstrip("*") for _, name, given in all_functions if name not in SPECIAL
              for kind, _ in given if kind.startswith("const clpool_")} & set(structs)
    inputs |= {"clpool_pool_callbacks", "clpool_allocator_ops", "clpool_memo_ops"} | LARGE_RESULTS
    lines = [f"// Made by {pathlib.Path(__file__).name} from the public headers.", '#include "fuzz/capi_world.hpp"', "",
             "namespace clpool::fuzz {", ""]
    lines += [f"void fill(World& w, {name}& s);" for name in sorted(inputs)] + [""]
    for name in sorted(inputs):
        lines += filler(name, structs[name], structs)
    calls = []
    for result, name, given in all_functions:
        if name in LEFT_OUT:
            continue
        calls.append(name)
        lines += [f"void call_{name}(World& w);", ""] if name in SPECIAL else thunk(result, name, given, structs)
    lines += ["const Call calls[] = {"] + [f'    {{"{name}", call_{name}}},' for name in calls] + ["};", "",
              f"const std::size_t call_count = {len(calls)};", "", "}  // namespace clpool::fuzz", ""]
    pathlib.Path(output).write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
