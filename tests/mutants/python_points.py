# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Finds what can be mutated in Python sources and writes them anew, each mutation behind its switch. Unlike C++ the text
does not matter, so both are one walk over the syntax tree."""
import ast
import collections

Point = collections.namedtuple("Point", "file function operator line text")

RELATIONS = {ast.Lt: [(ast.LtE, "< becomes <="), (ast.GtE, "< becomes >=")],
             ast.LtE: [(ast.Lt, "<= becomes <"), (ast.Gt, "<= becomes >")],
             ast.Gt: [(ast.GtE, "> becomes >="), (ast.LtE, "> becomes <=")],
             ast.GtE: [(ast.Gt, ">= becomes >"), (ast.Lt, ">= becomes <")],
             ast.Eq: [(ast.NotEq, "== becomes !=")], ast.NotEq: [(ast.Eq, "!= becomes ==")],
             ast.Is: [(ast.IsNot, "is becomes is not")], ast.IsNot: [(ast.Is, "is not becomes is")],
             ast.In: [(ast.NotIn, "in becomes not in")], ast.NotIn: [(ast.In, "not in becomes in")]}
ARITHMETIC = {ast.Add: (ast.Sub, "+ becomes -"), ast.Sub: (ast.Add, "- becomes +"), ast.Mult: (ast.FloorDiv, "* becomes //"),
              ast.FloorDiv: (ast.Mult, "// becomes *"), ast.Div: (ast.Mult, "/ becomes *"), ast.Mod: (ast.Mult, "% becomes *"),
              ast.BitAnd: (ast.BitOr, "& becomes |"), ast.BitOr: (ast.BitAnd, "| becomes &"),
              ast.LShift: (ast.RShift, "<< becomes >>"), ast.RShift: (ast.LShift, ">> becomes <<")}
DROPPED = {"wait_for": "wait list dropped", "wait_list": "wait list dropped", "blocking": "blocking turned",
           "is_blocking": "blocking turned"}
SWITCH = "_clpool_mutant"


class Rewriter(ast.NodeTransformer):
    """`number` gives each point its number; a number of None leaves the point out."""

    def __init__(self, path, text, number):
        self.path, self.number, self.points = path, number, {}
        self.lines, self.functions = text.splitlines(), []

    def switch(self, node, operator):
        point = Point(self.path, ".".join(self.functions), operator, node.lineno, self.lines[node.lineno - 1].strip())
        number = self.number(point)
        self.points[number] = point
        return ast.Call(ast.Name(SWITCH, ast.Load()), [ast.Constant(number)], [])

    def choice(self, node, operator, instead, usual):
        return ast.IfExp(self.switch(node, operator), instead, usual)

    def turned(self, node, operator, usual):
        return self.choice(node, operator, ast.UnaryOp(ast.Not(), usual), usual)

    def in_function(self, node):
        self.functions.append(node.name)
        node.body = self.statements(node.body)
        self.functions.pop()
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = in_function

    def visit_ClassDef(self, node):
        self.functions.append(node.name)
        node.body = [self.visit(one) if isinstance(one, (ast.FunctionDef, ast.ClassDef)) else one for one in node.body]
        self.functions.pop()
        return node

    def visit_Module(self, node):
        node.body = [self.visit(one) if isinstance(one, (ast.FunctionDef, ast.ClassDef)) else one for one in node.body]
        return node

    def statements(self, body):
        result = []
        for one in body:
            changed = self.visit(one)
            name = None
            # A name's first assignment is not left out: what then uses the name fails in any test.
            if isinstance(one, (ast.AugAssign, ast.Delete)) or isinstance(one, ast.Assign) and not all(
                    isinstance(target, ast.Name) for target in one.targets):
                name = "assignment deleted"
            if isinstance(one, ast.Expr) and isinstance(one.value, (ast.Call, ast.Await)):
                name = "call deleted"
            if isinstance(one, ast.Raise):
                name = "raise deleted"
            if name is None:
                result.append(changed)
            else:
                test = ast.UnaryOp(ast.Not(), self.switch(one, name))
                result.append(ast.If(test, [changed], []))
        return result

    def generic_visit(self, node):
        for field in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, field, None), list):
                setattr(node, field, self.statements(getattr(node, field)))
        for field, value in ast.iter_fields(node):
            if field in ("body", "orelse", "finalbody") and isinstance(value, list) or field in (
                    "annotation", "returns", "decorator_list"):
                continue
            if isinstance(value, ast.AST):
                setattr(node, field, self.visit(value))
            elif isinstance(value, list):
                setattr(node, field, [self.visit(one) if isinstance(one, ast.AST) else one for one in value])
        return node

    def condition(self, test):
        usual = self.visit(test)
        if isinstance(test, (ast.Compare, ast.BoolOp, ast.Constant)):
            return usual
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(test.operand, ast.Compare):
            return usual
        return self.turned(test, "condition turned", usual)

    def with_test(self, node):
        test = self.condition(node.test)
        node.test = ast.Constant(True)
        self.generic_visit(node)
        node.test = test
        return node

    visit_If = visit_While = visit_IfExp = with_test

    def visit_Raise(self, node):
        return node  # texts, for the most part

    def visit_JoinedStr(self, node):
        return node

    def visit_Compare(self, node):
        usual = self.generic_visit(ast.Compare(node.left, node.ops, node.comparators))
        if len(node.ops) != 1:
            return self.turned(node, "comparison turned", usual)
        for other, operator in RELATIONS[type(node.ops[0])]:
            usual = self.choice(node, operator, ast.Compare(node.left, [other()], node.comparators), usual)
        return usual

    def visit_BoolOp(self, node):
        other, operator = (ast.Or, "and becomes or") if isinstance(node.op, ast.And) else (ast.And, "or becomes and")
        values = [self.condition(one) if isinstance(node.op, ast.And) and at + 1 < len(node.values) else self.visit(one)
                  for at, one in enumerate(node.values)]
        return self.choice(node, operator, ast.BoolOp(other(), node.values), ast.BoolOp(node.op, values))

    def visit_BinOp(self, node):
        usual = ast.BinOp(self.visit(node.left), node.op, self.visit(node.right))
        if type(node.op) not in ARITHMETIC or any(
                isinstance(one, (ast.JoinedStr, ast.List, ast.Tuple)) or
                isinstance(one, ast.Constant) and isinstance(one.value, (str, bytes)) for one in (node.left, node.right)):
            return usual
        other, operator = ARITHMETIC[type(node.op)]
        return self.choice(node, operator, ast.BinOp(node.left, other(), node.right), usual)

    def visit_Return(self, node):
        if node.value is None:
            return node
        usual = self.visit(node.value)
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, bool):
            usual = self.turned(node, "returned bool turned", usual)
        elif not isinstance(node.value, ast.Constant):
            usual = self.choice(node, "None returned", ast.Constant(None), usual)
        return ast.Return(usual)

    def visit_Call(self, node):
        result = self.generic_visit(ast.Call(node.func, node.args, node.keywords))
        for keyword in result.keywords:
            self.argument(node, keyword, keyword.arg)
        for at, one in enumerate(node.args):
            if isinstance(one, ast.Name) and one.id in DROPPED:
                holder = ast.keyword(one.id, result.args[at])
                self.argument(node, holder, one.id)
                result.args[at] = holder.value
        return result

    def argument(self, node, keyword, name):
        if name not in DROPPED or isinstance(keyword.value, ast.Constant):
            return
        operator = DROPPED[name]
        instead = ast.UnaryOp(ast.Not(), keyword.value) if operator == "blocking turned" else ast.Constant(None)
        keyword.value = self.choice(node, operator, instead, keyword.value)


def rewritten(path, text, number):
    """(the new text, {number: Point})"""
    tree = ast.parse(text)
    rewriter = Rewriter(path, text, number)
    tree = ast.fix_missing_locations(rewriter.visit(tree))
    at = next((i for i, one in enumerate(tree.body) if not (
        isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) or
        isinstance(one, ast.ImportFrom) and one.module == "__future__")), len(tree.body))
    tree.body.insert(at, ast.ImportFrom("_clpool_mutants", [ast.alias("is_active", SWITCH)], 0))
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n", rewriter.points
