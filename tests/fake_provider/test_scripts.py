"""Which part of a script is played for which request, and what is counted and logged."""

from __future__ import annotations

import ast
import asyncio
import json
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tasks.contexts import prompt_context
from tasks.model_records import Message, ModelRequest
from tasks.problems import load_problem_set
from tasks.prompts import render
from tests.fake_provider import Asked, FakeProvider, Rule, Script, running
from tests.fake_provider.asking import read
from tests.fake_provider.client import ask, key_headers, payload
from tests.fake_provider.green_tests import MODELS, aloud, green_tests_script
from tests.fake_provider.playing import answer


def asked(model: str = "m", prompt: str = "p", cap: int = 8000) -> Asked:
    path, sent = payload("chat", model, prompt, cap)
    return read(path, key_headers("chat"), json.dumps(sent).encode())


def script(**parts: Any) -> Script:
    return Script.model_validate(parts)


def test_the_first_rule_that_matches_decides_and_later_ones_fill_in() -> None:
    played = script(
        rules=[
            {"prompt": "chunk", "do": "length"},
            {"model": "has*", "reply": {"text": "hasty's"}, "do": "empty"},
            {"reply": {"text": "anyone's"}, "delay_s": 2.5},
        ]
    ).play(asked("hasty", "def chunk("), 1, 1)
    assert (played.do, played.reply, played.delay_s) == ("length", "hasty's", 2.5)


def test_a_rule_can_be_for_the_first_times_a_prompt_is_asked() -> None:
    rules = script(rules=[{"nth": [1, 2], "do": "error_500"}])
    assert [rules.play(asked(), nth, 9).do for nth in (1, 2, 3)] == 2 * ["error_500"] + ["normal"]


def test_a_rule_can_be_for_one_request_of_all() -> None:
    rules = script(rules=[{"request": [4], "do": "error_500"}])
    assert [rules.play(asked(), 1, number).do for number in (3, 4)] == ["normal", "error_500"]


def test_a_share_is_met_and_is_the_same_again() -> None:
    def doings(seed: int) -> list[str]:
        rules = script(seed=seed, rules=[{"share": 0.1, "do": "error_500"}])
        return [rules.play(asked(prompt=str(n)), 1, n).do for n in range(2000)]

    assert doings(1) == doings(1) != doings(2)
    assert 150 < Counter(doings(1))["error_500"] < 250


def test_a_script_with_an_unknown_word_is_refused() -> None:
    with pytest.raises(ValidationError, match="wrong"):
        script(rules=[{"do": "wrong"}])
    with pytest.raises(ValidationError, match="modle"):
        script(rules=[{"modle": "m"}])


def test_a_model_that_is_not_listed_is_unknown() -> None:
    assert script(models=["a"]).play(asked("b"), 1, 1).do == "unknown_model"


def test_a_reply_can_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "reply.md").write_text("from a file", encoding="utf-8")
    played = script(default={"reply": {"file": tmp_path / "reply.md"}}).play(asked(), 1, 1)
    assert played.reply == "from a file"


@pytest.mark.parametrize("name", ["spec_only", "code_shown", "code_warned", "issue_given"])
def test_green_tests_are_played_by_model_for_the_function_in_the_prompt(name: str) -> None:
    rules = green_tests_script()
    for problem in load_problem_set("green_tests"):
        context = prompt_context(problem.subject, [])
        prompt = "\n".join(each.text for each in render(name, Path(), context))
        for model, kind in MODELS.items():
            reply = rules.play(asked(model, prompt), 1, 1).reply
            body = reply.partition("```python\n")[2].removesuffix("```\n")
            wanted = problem.suite("reference" if kind == "verbose" else kind)
            assert ast.dump(ast.parse(body)) == ast.dump(ast.parse(wanted))


def test_verbose_is_cut_by_the_usual_cap_in_some_problems_and_careful_in_none() -> None:
    def cut(model: str) -> int:
        rules, finishes = green_tests_script(), []
        for problem in load_problem_set("green_tests"):
            each = asked(model, problem.subject.source("solution.py").decode(), cap=10_000)
            said = answer(each, rules.play(each, 1, 1), 1)
            finishes.append(json.loads(said.body)["choices"][0]["finish_reason"])
        return finishes.count("length")

    assert cut("careful") == 0
    assert 3 <= cut("verbose") <= 9


def test_thinking_aloud_keeps_decorators_with_their_functions() -> None:
    source = "import pytest\n\n\n@pytest.mark.slow\ndef test_a():\n    pass\n"
    assert ast.dump(ast.parse(aloud(source, 9))) == ast.dump(ast.parse(source))
    assert len(aloud(source, 9)) > 7 * len(source)


def test_a_repair_is_refused_by_the_stubborn_model_and_done_by_another() -> None:
    rules = green_tests_script()
    for problem in load_problem_set("green_tests"):
        context = prompt_context(problem.subject, [])
        first, mend = (
            render("spec_only", Path(), context),
            render("repair", Path(), repair(context)),
        )
        prompt = "\n".join(each.text for each in (*first, *mend))
        assert rules.play(asked("stubborn", prompt), 1, 1).reply.startswith("DECISION: change code")
        mended = rules.play(asked("locked", prompt), 1, 1).reply
        assert mended.startswith("DECISION: fix tests\n")
        assert problem.suite("reference").decode() in mended


def repair(context: Mapping[str, Any]) -> dict[str, Any]:
    return {**context, "tests": "", "failures": [], "more_failures": 1}


def test_faults_can_be_added_to_the_writers() -> None:
    rules = green_tests_script(rules=(Rule(do="error_500", share=1.0),))
    assert rules.play(asked("careful"), 1, 1).do == "error_500"


@pytest.mark.parametrize("wire", ["chat", "responses", "anthropic", "gemini"])
def test_prompts_are_hashed_as_the_store_does(wire: Any) -> None:
    async def run() -> str:
        async with FakeProvider() as server:
            await ask(server.base_url, wire, prompt="naïve \u2028 `x`")
            return server.asked[0].prompt_sha256

    request = ModelRequest("fake", "m", (Message("user", "naïve \u2028 `x`"),), 5)
    assert asyncio.run(run()) == request.prompt_sha256


def test_a_process_counts_and_logs_what_it_was_asked(tmp_path: Path) -> None:
    rules = script(key="sk-fake", rules=[{"model": "bad", "do": "error_503"}])
    with running(rules, tmp_path) as server:
        for model in ("good", "bad", "good"):
            asyncio.run(ask(server.base_url, "anthropic", model=model))
        stats, lines = server.stats(), server.lines()
    assert stats["by_model"] == {"good": 2, "bad": 1}
    assert list(stats["by_prompt"].values()) == [3]
    assert (stats["requests"], stats["paid"], stats["in_flight"]) == (3, 2, 0)
    assert [(line["model"], line["did"], line["nth"], line["paid"]) for line in lines] == [
        ("good", "normal", 1, True),
        ("bad", "error_503", 1, False),
        ("good", "normal", 2, True),
    ]
    assert "sk-fake" not in server.log.read_text()


def test_the_log_has_a_request_before_it_is_answered(tmp_path: Path) -> None:
    with running(script(default={"do": "hang"}), tmp_path) as server:
        with pytest.raises(TimeoutError):
            asyncio.run(ask(server.base_url, "chat", timeout=0.3))
        for _ in range(100):
            if server.lines():
                break
            time.sleep(0.1)
        assert [line["did"] for line in server.lines()] == ["hang"]


def test_the_command_plays_green_tests_when_no_script_is_given() -> None:
    command = [sys.executable, "-m", "tests.fake_provider", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        url = process.stdout.readline().split()[-1]
        said = asyncio.run(ask(url, "chat", model="hasty", prompt="def chunk(items, size):"))
        with urllib.request.urlopen(f"{url}/stats", timeout=30) as counted:
            assert json.load(counted)["by_model"] == {"hasty": 1}
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.stdout.close()
    assert "from solution import chunk" in said.json["choices"][0]["message"]["content"]


def test_a_script_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('{"rules": [{"do": "nonsense"}]}')
    command = [sys.executable, "-m", "tests.fake_provider", "--script", str(tmp_path / "s.json")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, "s.json" in ended.stderr) == (2, True)
