"""Client of Noema, the knowledge stores for AI agents."""

from .async_client import AsyncBrain, AsyncFlow, AsyncNoema
from .client import Brain, Flow, Noema
from .errors import (
    ApiError,
    ConflictError,
    ConnectionFailed,
    ForbiddenError,
    InternalError,
    NoemaError,
    NotFoundError,
    RateLimitedError,
    StepFailed,
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
    "AsyncFlow",
    "AsyncNoema",
    "Brain",
    "ConflictError",
    "ConnectionFailed",
    "Flow",
    "ForbiddenError",
    "InternalError",
    "Noema",
    "NoemaError",
    "NotFoundError",
    "RateLimitedError",
    "RunPart",
    "StepFailed",
    "TimedOut",
    "UnauthorizedError",
    "UnavailableError",
    "ValidationError",
    "WebhookVerificationError",
    "unwrap",
]
