# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""documented.py HEADER_FOLDER OPENCL_HEADER_FOLDER…: every function of the public headers says what it does, what its
parameters are and in which units, who owns what it gives, its statuses, whether it blocks, which OpenCL calls it makes,
which threads may call it and since when. See README.md.

What a header's own comment says of blocking and OpenCL calls in the sentence "Unless a function says otherwise, …" holds for
functions that say nothing of it; thread safety and "Since 1.0" stand there for all. Each lack is a line
`header:line: function: what is missing`."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "capi" / "reader"))
import headers  # noqa: E402

WIDTH = 110

# What a field begins with. It begins a sentence, so it follows a full stop or begins a line.
DOES_NOT_BLOCK = r"Does not block\b"
MAY_BLOCK = r"(?:May block|Blocks)(?= (?:as|at|for|if|like|only|until|when|where|while)\b)"
BLOCKING = rf"(?:{DOES_NOT_BLOCK}|{MAY_BLOCK})"
FIELD = rf"(?:{BLOCKING}|{headers.CALLS}|Thread safety:|Since \d)"
# A name of a status goes on with punctuation or a lower-case word: what else follows is the next sentence, fused.
STATUS = r"CLPOOL_ERROR_[A-Z_]+[A-Z]"
GOES_ON = r"[,;.:)|]|\s+(?:[a-z(`/]|CL_)"

INTEGER = r"(?:const )?(?:size_t|u?int(?:32|64)_t|cl_uint)\**"
# Words of a parameter's name that make it an amount, and a word of its text that tells of what.
AMOUNTS = {
    r"size|sizes|bytes|offset|alignment|pitch|capacity|length|needed|granule|origin|region|shape":
        r"bytes?|units?|pixels?|extents?|items?|channels?|threads?|number of",
    r"count|rank|index|elements|threads|words|packets": r"number|bytes|from 0",
    r"ns": r"nanoseconds",
}
OWNERSHIP = (r"references?|releases?|released|owns?|owned|stays?|static|borrowed|valid|caller's|alive|gives it back|"
             r"given back|destroys?|as long as")
HANDLE = r"(?:clpool_\w+\*\*|void\*\*|cl_(?:mem|context|command_queue|device_id|event|sampler|kernel|program)\*)"


def sentences_of(text):
    return " ".join(text.split())


def begins_with_sentence(text):
    """One that can be read alone: wrappers and editors show it without the function before."""
    return re.match(r"(?!The same\b)(?:[A-Z`\"]|clpool_|cl[A-Z]).*?[.:](?:\s|$)", text) is not None


def entry_points(folders):
    names = set()
    for folder in folders:
        for path in pathlib.Path(folder, "CL").glob("*.h"):
            names.update(re.findall(r"\b(cl[A-Z]\w+)\b", path.read_text(encoding="utf-8", errors="replace")))
    return names


def default_of(file_comment):
    match = re.search(r"Unless a function says otherwise, (.*?)\.(?:\s|$)", sentences_of(file_comment))
    return match.group(1) if match else ""


def lacks_of_parameters(function, documented):
    names = [parameter.name for parameter in function.parameters]
    told = [name for name, _ in documented.parameters]
    if names != told:
        yield f"@param of {', '.join(told) or 'nothing'}, the parameters are {', '.join(names) or 'none'}"
        return
    for parameter, (name, text) in zip(function.parameters, documented.parameters):
        if not text:
            yield f"@param {name} says nothing"
        for words, units in AMOUNTS.items():
            if (re.fullmatch(INTEGER, parameter.type.split("[")[0]) and re.search(rf"(?:^|_)(?:{words})(?:_|$)", name) and
                    not re.search(rf"\b(?:{units})\b", text)):
                yield f"@param {name} has no unit ({units})"
        if re.fullmatch(HANDLE, parameter.type) and not re.search(rf"\b(?:{OWNERSHIP})\b", text):
            yield f"@param {name} does not say who owns it or releases it"


def lacks_of_result(function, documented, statuses):
    if function.result == "void":
        if documented.result is not None:
            yield "@return of a function that returns nothing"
        return
    if not documented.result:
        yield "no @return"
        return
    if function.result == "clpool_status" and function.name not in statuses:
        yield "@return names no status"
    pointer = function.result.endswith("*") or function.result.startswith("cl_mem")
    if pointer and not re.search(rf"\b(?:{OWNERSHIP})\b", documented.what + documented.result):
        yield "@return does not say who owns what is returned"


def with_statuses(functions):
    """Functions that name a status, or "always CLPOOL_SUCCESS", or that fail as another one of them does."""
    found = set()
    waiting = {f.name: headers.documentation(f.comment).result or "" for f in functions}
    while True:
        new = {name for name, text in waiting.items()
               if name not in found and (re.search(rf"{STATUS}|always CLPOOL_SUCCESS", text) or
                                         any(other in found for other in re.findall(r"\bas (clpool_\w+)\(\)", text)))}
        if not new:
            return found
        found |= new


def lacks_of_fields(function, default, known_calls):
    text = sentences_of(headers.plain(function.comment))
    if not re.search(BLOCKING, text) and not re.search(r"\bblock\b", default):
        yield "does not say whether it blocks"
    if any(parameter.name == "blocking" for parameter in function.parameters) and not re.search(MAY_BLOCK, text):
        yield "has a parameter `blocking` and does not say when it blocks"
    found = headers.calls_of(text)
    if not found and "no OpenCL calls" not in default:
        yield f'no "{headers.CALLS}"'
    for calls in found:
        entries = re.findall(r"\b(cl[A-Z]\w+)", calls)
        others = re.findall(r"\b(clpool_\w+)\(\)", calls)
        if not entries and not others and not re.search(r"^ none\b|\bput off\b", calls):
            yield f'no entry point after "{headers.CALLS}"'
        yield from (f"{entry} is no entry point of OpenCL" for entry in entries if entry not in known_calls)


def fused(comment):
    """Where two sentences run into each other without a stop."""
    text = headers.plain(comment)
    for match in re.finditer(STATUS, text):
        rest = text[match.end():]
        if rest and not re.match(rf"{GOES_ON}|…|\s*\n(?:@|$|{FIELD}|[a-z(`]|CL_)", rest):
            yield f"{match.group()} runs into '{' '.join(rest.split()[:3])}'"
    for match in re.finditer(FIELD, text):
        before = text[:match.start()]
        if before and not re.search(r"(?:[.:;]\)?[ \n]|\n)$", before):
            yield f"'{' '.join(before.split()[-2:])}' runs into '{match.group()}'"


def unknown(comment, names, numbers):
    text = headers.plain(comment)
    yield from (f"{name}() does not exist" for name in re.findall(r"\b(clpool_\w+)\(\)", text) if name not in names)
    yield from (f"{status} does not exist" for status in re.findall(rf"\b{STATUS}\b", text) if status not in numbers)


def lacks_of_header(name, text, functions, names, numbers):
    about = headers.file_comment(text)
    if not about:
        yield name, 1, "", "no comment of its own between the licence and the guard"
    if functions and not re.search(r"Thread safety: ", about):
        yield name, 1, "", 'its comment has no "Thread safety: "'
    if functions and not re.search(r"Since\s\d+\.\d+\b", about):
        yield name, 1, "", 'its comment has no "Since 1.0"'
    for line, comment in headers.comments(text):
        yield from ((name, line, "", problem) for problem in (*fused(comment), *unknown(comment, names, numbers)))
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > WIDTH:
            yield name, number, "", f"a line of {len(line)} characters, at most {WIDTH} are allowed"


def main(folder, *opencl):
    texts = headers.texts(folder)
    functions = {name: headers.functions(name, text) for name, text in texts.items()}
    everything = [function for listed in functions.values() for function in listed]
    known_calls = entry_points(opencl) | {"clEnqueueCopyBufferP2PAMD"}  # of an extension, in AMD's headers alone
    names = {function.name for function in everything}
    numbers = {number for text in texts.values() for number in headers.numbers(text)}
    statuses = with_statuses(everything)
    problems = []
    for name, text in texts.items():
        problems += lacks_of_header(name, text, functions[name], names, numbers)
        default = default_of(headers.file_comment(text))
        for function in functions[name]:
            documented = headers.documentation(function.comment)
            lacks = [] if begins_with_sentence(sentences_of(documented.what)) else ["does not begin with a sentence"]
            lacks += lacks_of_parameters(function, documented)
            lacks += lacks_of_result(function, documented, statuses)
            lacks += lacks_of_fields(function, default, known_calls)
            problems += [(name, function.line, function.name, lack) for lack in lacks]

    print(f"{len(everything)} functions in {len(texts)} headers, {len(problems)} lacks")
    for name, line, function, lack in sorted(problems):
        print(f"{name}:{line}: {function + ': ' if function else ''}{lack}")
    return 1 if problems or not everything or len(known_calls) < 100 else 0


sys.exit(main(*sys.argv[1:]))
