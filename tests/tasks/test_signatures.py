"""Signatures and docstrings as they are written, and never a line of a body."""

from __future__ import annotations

import ast

import pytest

from tasks.signatures import Source


@pytest.mark.parametrize(
    "signature",
    [
        "def f():",
        "def f(x, /, y: int = 3, *, z='a:b') -> dict[str, int]:",
        "async def f(*a, **k):",
        "@cache\n@deco(lambda x: x)\ndef f(x=lambda: 1, y={1: 2}) -> 'a:b':",
        "def f(\n    x,  # why: because\n    y: list[\n        int\n    ] = [1][0:1],\n) -> None:",
        "def f(x) -> lambda: 1:",
        "def f(ä='ü:', y=1):",
        "@(lambda g: g)\ndef f():",
    ],
)
@pytest.mark.parametrize(
    "body",
    [
        "\n    return 1\n",
        " return {1: 2}[x:y]\n",
        ' "doc: é"; x: int = 1\n',
        '\n    """A doc.\n\n    More: of it.\n    """\n    if x: return 2\n',
        "\n    # a: comment\n    @lambda g: g\n    def inner(): pass\n",
        "  # c: c\n    class A: pass\n",
    ],
)
def test_a_signature_is_as_it_is_written(signature: str, body: str) -> None:
    source = Source(f"x: int = 1\n{signature}{body}y = 2\n")
    node = source.function("f")
    assert node is not None
    assert source.signature(node) == signature
    stub = source.stub("f")
    assert stub.startswith(f"{signature}\n")
    left = ast.parse(stub).body[0]
    assert isinstance(left, ast.FunctionDef | ast.AsyncFunctionDef)
    assert ast.get_docstring(left) == ast.get_docstring(node)
    assert len(left.body) == 1


def test_of_two_functions_of_a_name_the_last_is_meant() -> None:
    assert Source("def f(a): pass\ndef f(b): pass\n").stub("f") == "def f(b):\n    ...\n"


def test_a_module_is_shown_by_what_is_public_in_it() -> None:
    text = '''\
r"""Module."""
import os
SECRET = 1
def _private(): return SECRET
@final
class A(B, metaclass=M):
    """Class."""
    SECRET = 2
    def __init__(self, x):
        """Init."""
        self.SECRET = x
    def _private(self): ...
    @property
    def p(self) -> int:
        return SECRET
class E(Exception): pass
async def g(x):
    r"""Doc \\d."""
    return SECRET
'''
    assert (
        Source(text).stub("")
        == '''\
r"""Module."""


@final
class A(B, metaclass=M):
    """Class."""

    def __init__(self, x):
        """Init."""

    @property
    def p(self) -> int:
        ...


class E(Exception):
    ...


async def g(x):
    r"""Doc \\d."""
'''
    )


def test_crlf_and_tabs_are_read() -> None:
    source = Source("if 1:\r\n\tpass\r\ndef f(x,\r\n\ty):\r\n\t'''Doc.\r\n\t'''\r\n\treturn 1\r\n")
    assert source.stub("f") == "def f(x,\n\ty):\n\t'''Doc.\n\t'''\n"
