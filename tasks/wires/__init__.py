"""The wire formats by name. Each module puts a question its own way and reads its own answers."""

from __future__ import annotations

from collections.abc import Mapping

from tasks.model_records import Wire
from tasks.wires import anthropic, chat, gemini, responses
from tasks.wires.common import WireFormat

WIRES: Mapping[Wire, WireFormat] = {
    "chat": chat,
    "responses": responses,
    "anthropic": anthropic,
    "gemini": gemini,
}
