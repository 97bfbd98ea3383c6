"""How a cell comes by its suite: it exists, a generator writes it, or a model does."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cluster.calling import Calling, Reply, condition_of, model_writer
from cluster.keys import candidate_key, generated_key, round_key
from cluster.ledger import attempt
from cluster.plan import Cell
from cluster.sizes import FIRST_BUDGET_S
from cluster.work import CellLog, Run, SuiteWork
from configs.models import ModelWriterConfig
from configs.schema import WriterConfig
from storage.call_rows import RoundEnd, round_rows
from tasks.extraction import UNCLOSED
from tasks.model_records import Message
from tasks.model_suites import suite_of_reply, suite_of_source
from tasks.prompts import prompt_context, render, repair_context
from tasks.records import Suite
from tasks.repairs import failures_of, follow_up, read_decision
from tasks.results import Validation

# A generator has its own limits on time; this one catches a task that hangs.
GENERATE_S = 3600.0
# Why a reply that its provider calls complete is no suite, beside UNCLOSED.
NO_CODE = "no_code"


@dataclass(frozen=True)
class Draft:
    """What a writer came to: a suite, with its validation where that is known, or why none.

    `asked` is the conversation that led to it.
    """

    suite: Suite | None
    reason: str = ""
    known: Validation | None = None
    asked: tuple[Message, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether every test of the suite passes on the correct code."""
        known = self.known
        return known is not None and known.status == "valid" and all(t.kept for t in known.tests)


async def write(cell: Cell, run: Run, log: CellLog) -> Draft:
    """The cell's suite. GaveUp when it is not to be had through no fault of its writer."""
    if cell.suite is not None:
        return Draft(cell.suite)
    if cell.prompt:
        return await _ModelCell(cell, run, log).write()
    return await _generated(cell, run, log)


async def _generated(cell: Cell, run: Run, log: CellLog) -> Draft:
    writer = run.plan.arms[cell.arm].writer
    assert isinstance(writer, WriterConfig)
    config = writer.generator
    assert config is not None
    key = generated_key(cell.cell_id)
    told = run.resume.fact(key)
    if told is None:
        step = log.step("generate")
        submit = run.shipping.generator(cell, config, run.plan.seed_of(cell))
        async with run.tasks:
            written = await attempt(step.account, submit, GENERATE_S, run.retry, run.standing)
        told = {"source": written.source, "reason": written.reason, "flags": list(written.flags)}
        await run.writer.add({}, [key], {key: told})
        await run.writer.durable()
    if told["source"] is None:
        return Draft(None, told["reason"])
    made = suite_of_source(
        cell.arm,
        run.plan.subjects[cell.subject_id].subject,
        cell.replicate,
        told["source"],
        origin="pynguin" if writer.pynguin else "ghostwriter",
        cap_functions=run.plan.config.limits.test_functions,
        flags=tuple(told["flags"]),
    )
    return Draft(made.suite, made.reason)


class _ModelCell:
    """Draws and rounds of a cell whose writer is a model; every step is stored before the next."""

    def __init__(self, cell: Cell, run: Run, log: CellLog) -> None:
        self._cell = cell
        self._run = run
        self._log = log
        self._planned = run.plan.subjects[cell.subject_id]
        self._writer: ModelWriterConfig = model_writer(run.plan, cell.arm)

    async def write(self) -> Draft:
        draft = await self._draws()
        for round in range(1, self._writer.repair + 1):
            if draft.suite is None or draft.known is None or not failures_of(draft.known):
                break
            mended = await self._repair(draft, draft.suite, draft.known, round)
            if mended is None:
                break
            draft = mended
        return draft

    async def _draws(self) -> Draft:
        """The first draw that passes on the correct code, else the first one with a suite."""
        drafts = []
        for draw in range(self._writer.best_of):
            draft = await self._drawn(self._cell.prompt, draw, 0)
            if draft.suite is not None and self._writer.best_of + self._writer.repair > 1:
                draft = await self._validated(draft, draft.suite)
            if draft.passes:
                return draft
            drafts.append(draft)
        return next((each for each in drafts if each.suite is not None), drafts[0])

    async def _repair(
        self, draft: Draft, suite: Suite, known: Validation, round: int
    ) -> Draft | None:
        """The suite after one round, or None when the model did not mend it."""
        plan, planned = self._run.plan, self._planned
        cap = plan.config.limits.test_functions
        context = prompt_context(planned.subject, planned.mutant_set.mutants, cap)
        context = repair_context(context, suite, failures_of(known))
        question = render(self._writer.repair_prompt, plan.base, context)
        messages = follow_up(draft.asked, suite, question)
        reply = await self._calling.ask(self._cell, messages, suite.draw, round)
        if reply.verdict != "stop":
            await self._keep_round(round, "no_reply", reply.verdict, known, None)
            return None
        decision = read_decision(reply.text)
        mended = Draft(None)
        if decision != "asks_code_change":
            mended = self._draft(messages, reply, suite.draw, round)
        if mended.suite is not None:
            mended = await self._validated(mended, mended.suite)
        await self._keep_round(round, decision, mended.reason, known, mended.known, mended.suite)
        return mended if mended.suite is not None else None

    async def _keep_round(
        self,
        round: int,
        decision: str,
        note: str,
        before: Validation,
        after: Validation | None,
        suite: Suite | None = None,
    ) -> None:
        key = round_key(self._cell.cell_id, round)
        if self._run.resume.done(key):
            return
        dropped: tuple[str, ...] = ()
        if after is not None:
            there = {test.nodeid for test in after.tests}
            dropped = tuple(test.nodeid for test in before.tests if test.nodeid not in there)
            failed = len(failures_of(before)), len(failures_of(after))
            note = "{} tests failed on the correct code before, {} after".format(*failed)
        end = RoundEnd(
            cell_id=self._cell.cell_id,
            round=round,
            role="repair",
            status=decision,
            suite_id=suite.suite_id if suite else "",
            note=note,
            dropped_tests=dropped,
        )
        rows = round_rows(self._run.plan.experiment_id, [end])
        await self._run.writer.add({"rounds": rows}, [key])

    async def _validated(self, draft: Draft, suite: Suite) -> Draft:
        key = candidate_key(self._cell.cell_id, suite.draw, suite.round)
        known = self._run.resume.validation(key)
        if known is None:
            work = SuiteWork(self._cell, suite, self._run.plan.settings, self._run, self._log)
            step = self._log.step(f"validate {suite.draw}.{suite.round}")
            result = await work.task(step, (), None, None, FIRST_BUDGET_S)
            known = work.validation(result, step)
            step.take(result, ())
            await self._run.commit(work.record.candidate(known, step))
            await self._run.writer.durable()
        return replace(draft, known=known)

    async def _drawn(self, messages: tuple[Message, ...], draw: int, round: int) -> Draft:
        reply = await self._calling.ask(self._cell, messages, draw, round)
        if reply.verdict != "stop":
            return Draft(None, reply.verdict)
        return self._draft(messages, reply, draw, round)

    def _draft(self, messages: tuple[Message, ...], reply: Reply, draw: int, round: int) -> Draft:
        plan = self._run.plan
        made = suite_of_reply(
            self._cell.arm,
            self._planned.subject,
            self._cell.replicate,
            reply.text,
            draw=draw,
            round=round,
            model=self._writer.model,
            condition=condition_of(plan, self._cell),
            prompt_sha256=self._cell.identity,
            cap_functions=plan.config.limits.test_functions,
        )
        if UNCLOSED in made.flags and plan.config.limits.unclosed_fence == "refuse":
            return Draft(None, UNCLOSED, asked=messages)
        return Draft(made.suite, "" if made.suite else NO_CODE, asked=messages)

    @property
    def _calling(self) -> Calling:
        assert self._run.calling is not None
        return self._run.calling
