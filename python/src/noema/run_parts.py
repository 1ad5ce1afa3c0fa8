"""The parts of a run's stream: chunks of the UI message stream protocol of the AI SDK, told apart by their `type`."""

from __future__ import annotations

from typing import Any, Dict, Literal, NotRequired, TypedDict, Union


class Start(TypedDict):
    type: Literal["start"]
    messageId: str


class Step(TypedDict):
    type: Literal["start-step", "finish-step", "reset-step"]


class TextBoundary(TypedDict):
    type: Literal["text-start", "text-end", "reasoning-start", "reasoning-end"]
    id: str


class TextDelta(TypedDict):
    type: Literal["text-delta", "reasoning-delta"]
    id: str
    delta: str


class ToolInput(TypedDict):
    type: Literal["tool-input-available"]
    toolCallId: str
    toolName: str
    input: Any


class ToolOutput(TypedDict):
    type: Literal["tool-output-available"]
    toolCallId: str
    output: Any


class ToolError(TypedDict):
    type: Literal["tool-output-error"]
    toolCallId: str
    errorText: str


class SourceUrl(TypedDict):
    type: Literal["source-url"]
    sourceId: str
    url: str
    title: NotRequired[str]


class SourceDocument(TypedDict):
    type: Literal["source-document"]
    sourceId: str
    mediaType: str
    title: str
    filename: NotRequired[str]
    # Where a quote of the built-in model stands, under "noema".
    providerMetadata: NotRequired[Dict[str, Any]]


class TaskNews(TypedDict):
    taskId: str
    operationId: str
    state: Literal["open", "completed", "expired"]


class Task(TypedDict):
    """A question to a person."""

    type: Literal["data-task"]
    id: str
    data: TaskNews


# As a call, because `from` is a keyword.
RestartedAt = TypedDict("RestartedAt", {"operationId": str, "from": int})


class Restart(TypedDict):
    """Drop the text of an attempt that failed."""

    type: Literal["data-restart"]
    data: RestartedAt
    transient: Literal[True]


class Finish(TypedDict):
    type: Literal["finish"]
    finishReason: Literal["stop"]


class Error(TypedDict):
    type: Literal["error"]
    errorText: str


class Abort(TypedDict):
    type: Literal["abort"]
    reason: NotRequired[str]


RunPart = Union[
    Start,
    Step,
    TextBoundary,
    TextDelta,
    ToolInput,
    ToolOutput,
    ToolError,
    SourceUrl,
    SourceDocument,
    Task,
    Restart,
    Finish,
    Error,
    Abort,
]
