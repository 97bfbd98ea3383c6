"""From a reply or a generated text to a suite, and what was done on the way, as flags."""

from __future__ import annotations

from dataclasses import dataclass

from tasks.extraction import TOO_LONG, extract
from tasks.jsonl import encode_source
from tasks.normalising import normalise
from tasks.records import SourceFile, Subject, Suite
from tasks.writers import make_suite, suite_file


@dataclass(frozen=True)
class Written:
    """A suite, or why there is none. `flags` are the same as the suite's own."""

    suite: Suite | None
    reason: str = ""
    flags: tuple[str, ...] = ()


def suite_of_reply(
    arm: str,
    subject: Subject,
    replicate: int,
    reply: str,
    *,
    draw: int = 0,
    round: int = 0,
    model: str = "",
    condition: str = "",
    prompt_sha256: str = "",
    cap_functions: int | None = None,
) -> Written:
    """The suite that a usable reply holds, as one file at the top of the subject's tree.

    The flags begin with `extracted:<rule>`, so that the rules too are counted per arm.
    """
    extracted = extract(reply)
    flags = (f"extracted:{extracted.rule}", *extracted.flags)
    if extracted.source is None:
        long = TOO_LONG in extracted.flags
        return Written(None, f"the reply {'is too long' if long else 'holds no code'}", flags)
    return suite_of_source(
        arm,
        subject,
        replicate,
        extracted.source,
        origin="model",
        closed=extracted.closed,
        draw=draw,
        round=round,
        model=model,
        condition=condition,
        prompt_sha256=prompt_sha256,
        cap_functions=cap_functions,
        flags=flags,
    )


def suite_of_source(
    arm: str,
    subject: Subject,
    replicate: int,
    source: str,
    *,
    origin: str,
    closed: bool = True,
    draw: int = 0,
    round: int = 0,
    model: str = "",
    condition: str = "",
    prompt_sha256: str = "",
    cap_functions: int | None = None,
    flags: tuple[str, ...] = (),
) -> Written:
    """The suite that a generated text makes, normalised; `flags` say what was done before."""
    normalised = normalise(source, cap_functions, closed=closed)
    flags = (*flags, *normalised.flags)
    if normalised.source is None:
        return Written(None, normalised.reason, flags)
    path = suite_file(subject)
    suite = make_suite(
        arm,
        subject,
        replicate,
        (SourceFile(path, encode_source(normalised.source)),),
        (path,),
        round=round,
        draw=draw,
        origin=origin,
        model=model,
        condition=condition,
        prompt_sha256=prompt_sha256,
        flags=flags,
    )
    return Written(suite, "", flags)
