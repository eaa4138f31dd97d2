# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Finds what can be mutated in C++ sources, by libclang. A point is a range of a file, and what may stand there instead."""
import os
import re

import clang.cindex as ci
from ctypes import byref, c_uint
from clang.cindex import CursorKind as K, TypeKind as T

from rewrite import Point

FUNCTIONS = {K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION, K.FUNCTION_TEMPLATE}
SCOPES = {K.NAMESPACE, K.CLASS_DECL, K.STRUCT_DECL, K.CLASS_TEMPLATE, K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
          K.UNION_DECL, K.LINKAGE_SPEC, K.UNEXPOSED_DECL, K.FRIEND_DECL}
CASTS = {K.CSTYLE_CAST_EXPR, K.CXX_STATIC_CAST_EXPR}
INTEGERS = {T.CHAR_U, T.UCHAR, T.USHORT, T.UINT, T.ULONG, T.ULONGLONG, T.CHAR_S, T.SCHAR, T.SHORT, T.INT, T.LONG,
            T.LONGLONG}
RELATIONS = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="]}
LOGIC = {"&&": "||", "||": "&&"}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "<<": ">>", ">>": "<<", "&": "|", "|": "&"}
COMPOUND = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "<<=": ">>=", ">>=": "<<=", "&=": "|=", "|=": "&="}
# Never entered: what is calculated when compiling, what is not evaluated, and the making of texts.
UNEVALUATED = {K.STATIC_ASSERT, K.CXX_UNARY_EXPR, K.PARM_DECL, K.TEMPLATE_TYPE_PARAMETER,
               K.TEMPLATE_NON_TYPE_PARAMETER, K.TYPE_ALIAS_DECL, K.TYPEDEF_DECL}
TEXTS = {"fail", "fail_cl", "send_message", "reserve", "snprintf", "fprintf"}
FREE = {"reserve", "shrink_to_fit"}  # to leave these out costs time only
COUNTS = {"num_events_in_wait_list", "num_events", "wait_count"}
WAITS = {"event_wait_list", "event_list", "wait_list", "waits"}
EVENTS = {"event", "event_or_null"}


class Source:
    """The text of a file, and where its macros are used."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.text = file.read()
        self.macros = set()  # offsets at which a use of a macro with arguments begins

    def between(self, start, end):
        return re.sub(rb"//[^\n]*|/\*.*?\*/", b"", self.text[start:end], flags=re.S).strip().decode()


def file_location(location):
    """(path, offset) of a location; within a macro's argument, that of the argument."""
    file, line, column, offset = ci.c_object_p(), c_uint(), c_uint(), c_uint()
    ci.conf.lib.clang_getFileLocation(location, byref(file), byref(line), byref(column), byref(offset))
    return (os.path.normpath(ci.File(file).name) if file else None), offset.value


class Finder:
    def __init__(self, paths):
        """`paths`: the real paths of all files that may be mutated."""
        self.sources = {path: Source(path) for path in paths}
        self.points = {}  # in the order in which they were found
        self.bodies = set()  # (path, start, end, function)
        self.unused = set()  # spans of calls whose value nobody uses
        self.function = ""
        self.index = ci.Index.create()

    def parse(self, path, arguments):
        """Adds the points of a source and of the headers that it includes; returns what the compiler says is wrong."""
        unit = self.index.parse(path, args=arguments, options=ci.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        tries = []
        for cursor in unit.cursor.get_children():
            if cursor.kind == K.MACRO_INSTANTIATION:
                source = self.sources.get(file_location(cursor.location)[0])
                start, end = cursor.extent.start.offset, cursor.extent.end.offset
                if source is not None and source.text[start:end].endswith(b")"):
                    source.macros.add(start)
                    if cursor.spelling == "CLPOOL_TRY":
                        tries.append((source, start, end))
        for cursor in unit.cursor.get_children():
            if file_location(cursor.location)[0] in self.sources:
                self.declaration(cursor)
        for source, start, end in tries:
            self.tried(source, start, end)
        return [str(text) for text in unit.diagnostics if text.severity >= ci.Diagnostic.Error]

    def tried(self, source, start, end):
        """CLPOOL_TRY(expression);"""
        around = [body for body in self.bodies if body[0] == source.path and body[1] < start and end <= body[2]]
        rest = re.match(rb"\s*;", source.text[end:end + 80])
        if around and rest:
            self.function = max(around, key=lambda body: body[1])[3]
            self.add((source, start + len("CLPOOL_TRY("), end - 1), "failure ignored", "succeed")
            self.add((source, start, end + rest.end()), "call deleted", "delete")

    def declaration(self, cursor):
        if cursor.kind in FUNCTIONS:
            tokens = self.words_before_body(cursor)
            if tokens is None or "consteval" in tokens:
                return
            self.function = cursor.spelling
            for child in cursor.get_children():
                span = self.span(child) if child.kind == K.COMPOUND_STMT else None
                if span and span[0].text[span[1]:span[1] + 1] == b"{":  # not that of "= default"
                    self.bodies.add((span[0].path, *span[1:], self.function))
                    self.statement_list(child)
        elif cursor.kind in SCOPES:
            for child in cursor.get_children():
                self.declaration(child)

    def words_before_body(self, cursor):
        for child in cursor.get_children():
            if child.kind == K.COMPOUND_STMT:
                span = self.span(cursor)
                body = self.span(child)
                return None if not span or not body else span[0].between(span[1], body[1]).split()
        return None

    def span(self, cursor, inner=False):
        """(source, start, end), or None where it is not written in a file of ours, or comes out of a macro."""
        first, start = file_location(cursor.extent.start)
        last, end = file_location(cursor.extent.end)
        source = self.sources.get(first)
        if source is None or first != last or end <= start or start in source.macros:
            return None
        if ends_open(source.text[start:end]):  # the extent of a comparison by <=> ends with the sign
            ends = [] if inner else [span[2] for span in (self.span(one, True) for one in cursor.walk_preorder()) if span]
            end = max(ends, default=end)
            return None if ends_open(source.text[start:end]) else (source, start, end)
        return source, start, end

    def add(self, span, operator, form, text=""):
        source, start, end = span
        point = Point(source.path, self.function, operator, start, end, form, text)
        self.points.setdefault(point, None)

    def statement_list(self, compound):
        for child in compound.get_children():
            self.statement(child)

    def statement(self, cursor):
        """What stands for itself in a list of statements."""
        bare = peel(cursor)
        inner = [peel(one) for one in bare.get_children()] if bare.kind in CASTS else [bare]
        self.unused.update(self.span(one) for one in inner if one.kind == K.CALL_EXPR)
        if bare.kind == K.CALL_EXPR or bare.kind == K.CXX_DELETE_EXPR or (
                bare.kind in (K.BINARY_OPERATOR, K.UNARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR)):
            self.delete(cursor, bare)
        elif cursor.kind in CASTS:
            self.delete(cursor, cursor)
        self.walk(cursor)

    def delete(self, cursor, bare):
        span = self.span(cursor)
        if not span or called(bare) in FREE:
            return
        source, start, end = span
        rest = re.match(rb"\s*;", source.text[end:end + 80])
        if rest:
            what = "call" if bare.kind == K.CALL_EXPR and not called(bare).startswith("operator") else "statement"
            self.add((source, start, end + rest.end()), f"{what} deleted", "delete")

    def walk(self, cursor):
        kind = cursor.kind
        if kind in UNEVALUATED:
            return
        if kind == K.DECL_STMT or kind == K.VAR_DECL:
            span = self.span(cursor)
            if span and re.match(rb"(static\s+)?constexpr\b|static\s+const\s", span[0].text[span[1]:span[2]]):
                return
        if kind == K.CALL_EXPR and called(cursor) in TEXTS:
            return
        if kind == K.COMPOUND_STMT:
            return self.statement_list(cursor)
        if kind in (K.CASE_STMT, K.DEFAULT_STMT):
            children = list(cursor.get_children())
            return self.statement(children[-1]) if children else None
        if kind in (K.CLASS_DECL, K.STRUCT_DECL):  # of a function
            function = self.function
            for child in cursor.get_children():
                self.declaration(child)
            self.function = function
            return None
        children = list(cursor.get_children())
        if kind in (K.IF_STMT, K.WHILE_STMT):
            children = self.branch(cursor, children)
        elif kind == K.DO_STMT:
            self.condition(children[-1])
        elif kind == K.CONDITIONAL_OPERATOR:
            self.condition(children[0])
        elif kind == K.BINARY_OPERATOR and len(children) == 2:
            self.binary(cursor, *children)
        elif kind == K.COMPOUND_ASSIGNMENT_OPERATOR and len(children) == 2:
            self.compound(cursor, *children)
        elif kind == K.RETURN_STMT and children:
            self.returned(children[0])
        elif kind == K.CALL_EXPR:
            self.call(cursor)
        for child in children:
            self.walk(child)

    def branch(self, cursor, children):
        """The condition of if and while. Returns the children that are looked into."""
        span = self.span(cursor)
        if span and re.match(rb"if\s+constexpr\b", span[0].text[span[1]:span[2]]):
            return [child for child in children if child.kind == K.COMPOUND_STMT or child.kind == K.IF_STMT]
        at = next((i for i, child in enumerate(children) if self.is_body(child)), 0)
        if at > 0 and not any(child.kind == K.VAR_DECL for child in children[:at]):
            self.condition(children[at - 1])
        return children

    def is_body(self, cursor):
        """A block, if need be behind an attribute ([[unlikely]])."""
        span = self.span(cursor)
        return cursor.kind == K.COMPOUND_STMT or bool(span and span[0].text[span[1]:].startswith(b"[["))

    def condition(self, cursor):
        """Turned, unless it is a comparison or made of parts that are turned themselves."""
        bare = peel(cursor)
        span = self.span(cursor)
        if not span or bare.kind in (K.CXX_BOOL_LITERAL_EXPR, K.DECL_STMT, K.INTEGER_LITERAL):
            return
        if bare.kind == K.BINARY_OPERATOR and self.operator_of(bare)[0] in {**RELATIONS, **LOGIC}:
            return
        if re.match(r"operator(==|!=|<|>)", called(bare)):
            return  # turned where it stands
        self.add(span, "condition turned", "negate")

    def operator_of(self, cursor):
        children = list(cursor.get_children())
        if len(children) != 2:
            return "", None, None
        left, right, whole = self.span(children[0]), self.span(children[1]), self.span(cursor)
        if not left or not right or not whole or left[1] != whole[1] or right[2] != whole[2] or left[2] >= right[1]:
            return "", None, None
        return whole[0].between(left[2], right[1]), left, right

    def binary(self, cursor, first, second):
        sign, left, right = self.operator_of(cursor)
        if not sign:
            return
        source = left[0]
        texts = [source.text[one[1]:one[2]].decode() for one in (left, right)]
        span = (source, left[1], right[2])
        if sign in RELATIONS:
            for other in RELATIONS[sign]:
                self.add(span, f"{sign} becomes {other}", "replace", f"{texts[0]} {other} {texts[1]}")
        elif sign in LOGIC:
            other = LOGIC[sign]
            self.add(span, f"{sign} becomes {other}", "replace", f"({texts[0]}) {other} ({texts[1]})")
            self.condition(first)
            self.condition(second)
        elif sign in ARITHMETIC and all(is_integer(one) for one in (cursor, first, second)):
            if is_constant(first) and is_constant(second):
                return
            self.add(span, f"{sign} becomes {ARITHMETIC[sign]}", "replace",
                     f"{texts[0]} {ARITHMETIC[sign]} {texts[1]}")

    def compound(self, cursor, first, second):
        sign, left, right = self.operator_of(cursor)
        if sign in COMPOUND and is_integer(first) and is_integer(second):
            source = left[0]
            texts = [source.text[one[1]:one[2]].decode() for one in (left, right)]
            self.add((source, left[1], right[2]), f"{sign} becomes {COMPOUND[sign]}", "replace",
                     f"{texts[0]} {COMPOUND[sign]} {texts[1]}")

    def returned(self, cursor):
        bare = peel(cursor)
        span = self.span(cursor)
        if not span or cursor.type.get_canonical().kind != T.BOOL:
            return
        if bare.kind == K.BINARY_OPERATOR and self.operator_of(bare)[0] in {**RELATIONS, **LOGIC}:
            if self.operator_of(bare)[0] in LOGIC:
                self.add(span, "returned bool turned", "negate")
            return
        if bare.kind == K.CONDITIONAL_OPERATOR or re.match(r"operator(==|!=|<|>)", called(bare)):
            return
        self.add(span, "returned bool turned", "negate")

    def call(self, cursor):
        name = called(cursor)
        span = self.span(cursor)
        if not span:
            return
        if re.fullmatch(r"operator(==|!=|<|>|<=|>=)", name) and cursor.type.get_canonical().kind == T.BOOL:
            self.add(span, f"{name[8:]} turned", "negate")
        target = cursor.referenced
        if target is None or target.kind not in FUNCTIONS:
            return
        if re.match(r"cl[A-Z]", name) and cursor.type.spelling == "cl_int" and span not in self.unused:
            self.add(span, "error code ignored", "succeed")
        parameters = [one.spelling for one in target.get_arguments()]
        values = list(cursor.get_arguments())
        named = dict(zip(parameters, values))
        waits = next((named[one] for one in parameters if one in WAITS), None)
        if any(one in COUNTS for one in parameters) and waits is not None and self.span(waits):
            count = next(named[one] for one in parameters if one in COUNTS)
            first, second = self.span(count), self.span(waits)
            if first and first[0].text[first[1]:first[2]] not in (b"0", b"nullptr") and first[2] < second[1]:
                self.add((first[0], first[1], second[2]), "wait list dropped", "arguments", "0|nullptr")
        for one in parameters:
            value = self.span(named[one]) if one in named else None
            if not value or peel(named[one]).kind == K.CXX_NULL_PTR_LITERAL_EXPR:
                continue
            if one.startswith("blocking"):
                self.add(value, "blocking turned", "negate")
            elif one in EVENTS and re.match(r"cl[A-Z]", name) and name.startswith("clEnqueue"):
                self.add(value, "event not asked for", "replace", "nullptr")


def ends_open(text):
    return text.rstrip()[-1:] in b"<>="


def peel(cursor):
    """Without the parentheses and the conversions that nobody wrote."""
    while cursor.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR):
        children = list(cursor.get_children())
        if len(children) != 1:
            break
        cursor = children[0]
    return cursor


def called(cursor):
    return cursor.spelling if cursor.kind == K.CALL_EXPR else ""


def is_integer(cursor):
    return cursor.type.get_canonical().kind in INTEGERS


def is_constant(cursor):
    return peel(cursor).kind in (K.INTEGER_LITERAL, K.CXX_UNARY_EXPR)
