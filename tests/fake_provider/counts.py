"""What the server was asked: counts for GET /stats, and a line a request in a log.

The log is written before the answer leaves, so that a client that was killed can be compared.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.fake_provider.asking import Asked
from tests.fake_provider.playing import Answer
from tests.fake_provider.script import Played


class Counts:
    """Requests so far; `asked` holds them all as they came when `keep` is set."""

    def __init__(self, log: Path | None = None, *, keep: bool = False) -> None:
        self.asked: list[Asked] = []
        self.requests = 0
        self.in_flight = 0
        self._keep = keep
        self._log = None if log is None else os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self._peak = 0
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._did: Counter[str] = Counter()
        self._paid = 0

    def begin(self, asked: Asked) -> tuple[int, int]:
        """(How often this model was asked this prompt, number of this request), both from 1."""
        self.requests += 1
        self.in_flight += 1
        self._peak = max(self._peak, self.in_flight)
        pair = asked.model, asked.prompt_sha256
        self._pairs[pair] += 1
        if self._keep:
            self.asked.append(asked)
        return self._pairs[pair], self.requests

    def write(self, asked: Asked, played: Played, answer: Answer, nth: int, request: int) -> None:
        """Count what is about to be done, and log it."""
        self._did[played.do] += 1
        self._paid += answer.paid
        if self._log is None:
            return
        line = {
            "at": time.time(),
            "request": request,
            "wire": asked.wire,
            "model": asked.model,
            "prompt_sha256": asked.prompt_sha256,
            "nth": nth,
            "did": played.do,
            "cap": asked.cap,
            "body_sha256": hashlib.sha256(answer.body).hexdigest(),
            "response_id": answer.response_id,
            "output_tokens": answer.output_tokens,
            "paid": answer.paid,
        }
        os.write(self._log, json.dumps(line).encode() + b"\n")

    def stats(self) -> dict[str, Any]:
        """The counts as JSON; `by_model_and_prompt` has keys `model prompt_sha256`."""
        models: Counter[str] = Counter()
        prompts: Counter[str] = Counter()
        for (model, prompt), count in self._pairs.items():
            models[model] += count
            prompts[prompt] += count
        return {
            "requests": self.requests,
            "paid": self._paid,
            "in_flight": self.in_flight,
            "peak_in_flight": self._peak,
            "by_model": dict(models),
            "by_prompt": dict(prompts),
            "by_model_and_prompt": {" ".join(pair): n for pair, n in self._pairs.items()},
            "by_doing": dict(self._did),
        }

    def close(self) -> None:
        """Close the log."""
        if self._log is not None:
            os.close(self._log)
            self._log = None
