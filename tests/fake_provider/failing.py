"""Errors as the four wire formats write them: with a status, and inside a 200."""

from __future__ import annotations

from typing import Any

from tests.fake_provider.asking import Wire

_TYPES = {  # status: (as OpenAI names it, as Anthropic does, as Gemini does)
    400: ("invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"),
    401: ("invalid_api_key", "authentication_error", "UNAUTHENTICATED"),
    404: ("model_not_found", "not_found_error", "NOT_FOUND"),
    429: ("rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED"),
    500: ("server_error", "api_error", "INTERNAL"),
    503: ("server_error", "overloaded_error", "UNAVAILABLE"),
    529: ("server_error", "overloaded_error", "UNAVAILABLE"),
}
SHAPES = ("object", "list", "null", "inner")


def error(wire: Wire, status: int, message: str) -> dict[str, Any]:
    """The body of a failed request."""
    openai, anthropic, gemini = _TYPES[status]
    if wire == "anthropic":
        said = {"type": anthropic, "message": message}
        return {"type": "error", "error": said, "request_id": "req_fake"}
    if wire == "gemini":
        return {"error": {"code": status, "message": message, "status": gemini}}
    return {"error": {"message": message, "type": openai, "param": None, "code": openai}}


def error_in_200(wire: Wire, way: str, response_id: str, input_tokens: int) -> dict[str, Any]:
    """A failure told with status 200; way choice (chat): where the answer's text should be."""
    failed = {"code": "server_error", "message": "upstream failed"}
    if wire == "responses":
        return {
            "id": response_id,
            "object": "response",
            "status": "failed",
            "error": failed,
            "incomplete_details": None,
            "output": [],
            "usage": None,
        }
    if wire == "chat" and way == "choice":
        message = {"role": "assistant", "content": "def test_a():"}
        choice = {"index": 0, "message": message, "finish_reason": "error", "error": failed}
        usage = {"prompt_tokens": input_tokens, "completion_tokens": 5}
        return {"id": response_id, "choices": [choice], "usage": usage}
    return error(wire, 503, "upstream failed")


def wrong_shape(wire: Wire, way: str) -> Any:
    """JSON that is no answer; way inner: it is one down to where the text should be."""
    if way != "inner":
        return {"list": [1, 2], "null": None}.get(way, {"hello": "world"})
    return {
        "chat": {"choices": [{"message": "text", "finish_reason": "stop"}], "usage": 3},
        "responses": {"status": "completed", "output": {"text": "text"}, "usage": []},
        "anthropic": {"content": [{"type": "text", "text": 7}], "stop_reason": "end_turn"},
        "gemini": {"candidates": [{"content": {"parts": "text"}, "finishReason": "STOP"}]},
    }[wire]
