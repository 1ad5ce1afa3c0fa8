"""Calls as data, and the rules for repeats, shared by the blocking and the asynchronous client."""

from __future__ import annotations

import json
import os
import random
import secrets
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, Mapping, Optional
from urllib.parse import quote

import httpx

from .errors import ApiError, ConnectionFailed, NoemaError, TimedOut

DEFAULT_URL = "http://127.0.0.1:4100"
END_OF_STREAM = "[DONE]"
_BASE_SECONDS = 0.5
_CAP_SECONDS = 8.0
# A longer Retry-After is the caller's to wait for: a daily cap may ask for hours.
_MAX_WAIT_SECONDS = 60.0


@dataclass(frozen=True)
class Settings:
    """The connection of a client to the service."""

    base_url: str
    headers: Mapping[str, str]
    max_retries: int
    timeout: float


def read_settings(
    base_url: Optional[str], api_key: Optional[str], max_retries: int, timeout: float
) -> Settings:
    """Fills in missing values from `NOEMA_BASE_URL`, else `NOEMA_PORT` of this machine, and from `NOEMA_API_KEY`."""
    port = os.environ.get("NOEMA_PORT")
    local_url = f"http://127.0.0.1:{port}" if port else DEFAULT_URL
    url = (base_url or os.environ.get("NOEMA_BASE_URL") or local_url).rstrip("/")
    if not url.startswith(("http://", "https://")):
        raise NoemaError(f"The base URL {url!r} is not a URL such as {DEFAULT_URL}.")
    key = api_key or os.environ.get("NOEMA_API_KEY")
    return Settings(url, {"authorization": f"Bearer {key}"} if key else {}, max_retries, timeout)


@dataclass(frozen=True)
class Call:
    """One request, ready to be sent as often as needed: every attempt sends the same headers and bytes."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Optional[Mapping[str, Any]] = None
    headers: Mapping[str, str] = field(default_factory=dict)
    is_repeatable: bool = True
    # The bytes of a file, in place of a body.
    content: Optional[bytes] = None
    # True if the answer is the bytes of a file.
    reads_bytes: bool = False

    def build(self, settings: Settings) -> httpx.Request:
        headers = {"accept": "application/json", **settings.headers, **self.headers}
        content = self.content if self.body is None else json.dumps(self.body).encode()
        if self.body is not None:
            headers["content-type"] = "application/json"
            # A misspelled field is refused, not dropped.
            headers.setdefault("prefer", "handling=strict")
        url = settings.base_url + self.path
        return httpx.Request(self.method, url, params=_to_query(self.query), content=content, headers=headers)


def _to_query(query: Mapping[str, Any]) -> Dict[str, str]:
    def text(value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (list, tuple)):
            return ",".join(text(one) for one in value)
        return str(value)

    parameters: Dict[str, str] = {}
    for name, value in query.items():
        if isinstance(value, Mapping):
            # One parameter for each key: metadata.team=core.
            parameters.update({f"{name}.{key}": text(one) for key, one in value.items()})
        elif value is not None:
            parameters[name] = text(value)
    return parameters


def path(template: str, **parameters: str) -> str:
    """A path with each parameter encoded. Raises on one that no URL can carry."""
    for name, value in parameters.items():
        if value in ("", ".", ".."):
            raise NoemaError(f"{name} {value!r} cannot be part of a path: give a non-empty string other than '.' and '..'.")
    return template.format(**{name: quote(value, safe="") for name, value in parameters.items()})


def write_call(
    method: str,
    where: str,
    body: Optional[Mapping[str, Any]],
    *,
    idempotency_key: Optional[str] = None,
    if_match: Optional[int] = None,
    wait: Optional[int] = None,
) -> Call:
    """A write: all its attempts share one idempotency key, so that it is applied once. `wait`: seconds for what it starts."""
    headers = {"idempotency-key": idempotency_key or secrets.token_hex(16)}
    if wait is not None:
        headers["prefer"] = f"handling=strict, wait={wait}"
    if if_match is not None:
        headers["if-match"] = f'"{if_match}"'
    return Call(method, where, body=body, headers=headers)


def find_delay(error: NoemaError, retry: int, settings: Settings, is_repeatable: bool) -> Optional[float]:
    """The seconds to wait before another attempt; None if the call has failed permanently."""
    if retry >= settings.max_retries or not may_pass(error):
        return None
    # A request without an answer may or may not have been executed.
    if isinstance(error, ConnectionFailed) and not is_repeatable:
        return None
    delay = find_wait(error, retry)
    return delay if delay <= _MAX_WAIT_SECONDS else None


def may_pass(error: NoemaError) -> bool:
    if isinstance(error, ApiError):
        return error.status == 429 or error.status >= 500
    return isinstance(error, ConnectionFailed)


def find_wait(error: Optional[NoemaError], retry: int) -> float:
    """The failure's Retry-After, else exponential backoff with full jitter."""
    if isinstance(error, ApiError) and error.retry_after is not None:
        return error.retry_after
    return random.random() * min(_CAP_SECONDS, _BASE_SECONDS * 2.0**min(retry, 10))


def to_connection_error(error: httpx.TransportError, settings: Settings) -> ConnectionFailed:
    if isinstance(error, httpx.TimeoutException):
        return TimedOut(f"No response within {settings.timeout} s.")
    return ConnectionFailed(f"No connection to {settings.base_url}: {error}")


def parse_data(body: bytes, status: int) -> Any:
    try:
        parsed = json.loads(body)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict) or "data" not in parsed:
        raise NoemaError(
            f'The service responded with {status}, but without the JSON object "data": is the base URL that of a Noema service?'
        )
    return parsed["data"]


@dataclass
class Message:
    """One message of an event stream. `data` is None if it only moves the reader's position."""

    id: Optional[str] = None
    data: Optional[str] = None


class EventParser:
    """Parses the lines of a `text/event-stream`; a message without its blank line is dropped."""

    def __init__(self) -> None:
        self._message = Message()

    def push(self, line: str) -> Iterator[Message]:
        if line == "":
            message, self._message = self._message, Message()
            if message.id is not None or message.data is not None:
                yield message
            return
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            before = self._message.data
            self._message.data = value if before is None else f"{before}\n{value}"
        elif name == "id":
            self._message.id = value


@dataclass
class Place:
    """The position of a reader in a stream: each complete message moves it."""

    after: Optional[str]
    failures: int = 0
    has_connected: bool = False
    is_over: bool = False

    def call(self, where: str, query: Mapping[str, Any]) -> Call:
        headers = {"accept": "text/event-stream"}
        if self.after is not None:
            headers["last-event-id"] = self.after
        return Call("GET", where, query={**query, "after": self.after}, headers=headers)

    def take(self, message: Message) -> Optional[Any]:
        self.failures = 0
        self.after = message.id or self.after
        self.is_over = message.data == END_OF_STREAM
        return None if message.data is None or self.is_over else json.loads(message.data)

    def find_wait(self, error: Optional[NoemaError], settings: Settings) -> float:
        """The seconds to wait before connecting again. Raises the error if the stream has failed permanently."""
        if error is not None:
            if not may_pass(error) or (not self.has_connected and self.failures >= settings.max_retries):
                raise error
        delay = find_wait(error, self.failures)
        self.failures += 1
        return delay
