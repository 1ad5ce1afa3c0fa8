"""Client of Noema, the knowledge stores for AI agents."""

from .async_client import AsyncBrain, AsyncNoema
from .client import Brain, Noema
from .errors import (
    ApiError,
    ConflictError,
    ConnectionFailed,
    ForbiddenError,
    InternalError,
    NoemaError,
    NotFoundError,
    RateLimitedError,
    TimedOut,
    UnauthorizedError,
    UnavailableError,
    ValidationError,
)
from .run_parts import RunPart
from .webhooks import WebhookVerificationError, unwrap

__all__ = [
    "ApiError",
    "AsyncBrain",
    "AsyncNoema",
    "Brain",
    "ConflictError",
    "ConnectionFailed",
    "ForbiddenError",
    "InternalError",
    "Noema",
    "NoemaError",
    "NotFoundError",
    "RateLimitedError",
    "RunPart",
    "TimedOut",
    "UnauthorizedError",
    "UnavailableError",
    "ValidationError",
    "WebhookVerificationError",
    "unwrap",
]
