"""The errors of calls. Branch on the class, or on `kind` and `code`; the message is for people and may change."""

from __future__ import annotations

import json
from email.utils import parsedate_to_datetime
from typing import Any, Dict, List, Mapping, Optional, Type

import httpx


class NoemaError(Exception):
    """The base of every error that this client raises."""


class ConnectionFailed(NoemaError):
    """The service could not be reached, or the connection broke before the whole answer arrived."""


class TimedOut(ConnectionFailed):
    """No complete answer arrived in time."""


class StepFailed(NoemaError):
    """A step of a flow failed for good. Raise it in a step to store a failure that each later start gets again."""


class ApiError(NoemaError):
    """The service answered with an error. Each kind has its subclass."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        kind: str,
        code: Optional[str] = None,
        details: Optional[List[Dict[str, Any]]] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.code = code
        self.details = details or []
        self.request_id = request_id
        self.retry_after = retry_after
        """Seconds to wait before another try."""


class ValidationError(ApiError):
    """400: the request itself is wrong; `details` says where."""


class UnauthorizedError(ApiError):
    """401: no key, or an invalid one."""


class ForbiddenError(ApiError):
    """403: the caller is known but may not do this."""


class NotFoundError(ApiError):
    """404: not there, or not in the caller's organization."""


class ConflictError(ApiError):
    """409: the current state refuses this, for example `stale_version` or a reused idempotency key."""


class RateLimitedError(ApiError):
    """429: too many requests; `retry_after` says when to come back."""


class InternalError(ApiError):
    """500: a fault of the service; `request_id` finds it in its log."""


class UnavailableError(ApiError):
    """503, or a gateway's 502 and 504: the same call may succeed later."""


_CLASSES: Dict[str, Type[ApiError]] = {
    "validation": ValidationError,
    "unauthorized": UnauthorizedError,
    "forbidden": ForbiddenError,
    "not_found": NotFoundError,
    "conflict": ConflictError,
    "rate_limited": RateLimitedError,
    "internal": InternalError,
    "unavailable": UnavailableError,
}

_KINDS = {
    400: "validation",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    409: "conflict",
    429: "rate_limited",
    500: "internal",
    502: "unavailable",
    503: "unavailable",
    504: "unavailable",
}


def _read_envelope(body: bytes) -> Mapping[str, Any]:
    try:
        parsed = json.loads(body)
    except ValueError:
        return {}
    error = parsed.get("error") if isinstance(parsed, dict) else None
    return error if isinstance(error, dict) else {}


def _read_retry_after(header: Optional[str], now: float) -> Optional[float]:
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - now)
    except (TypeError, ValueError):
        return None


def to_error(response: httpx.Response, body: bytes, now: float) -> ApiError:
    """The error of an unsuccessful answer, in the service's envelope or (from a proxy) without it."""
    said = _read_envelope(body)
    status = response.status_code
    kind = str(said.get("kind") or _KINDS.get(status, "internal" if status >= 500 else "unknown"))
    message = str(said.get("message") or f"The service responded with {status}, without an explanation.")
    code, details = said.get("code"), said.get("details")
    return _CLASSES.get(kind, ApiError)(
        message,
        status=status,
        kind=kind,
        code=code if isinstance(code, str) else None,
        details=details if isinstance(details, list) else None,
        request_id=response.headers.get("x-request-id"),
        retry_after=_read_retry_after(response.headers.get("retry-after"), now),
    )
