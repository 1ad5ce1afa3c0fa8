"""Verification of deliveries of webhooks, by the headers of Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from .errors import NoemaError


class WebhookVerificationError(NoemaError):
    """The request is no delivery with this secret's signature, or not a recent one. Answer 400 and ignore its contents."""


def unwrap(
    raw_body: Union[str, bytes],
    headers: Mapping[str, str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = 300.0,
    now: Optional[float] = None,
) -> Dict[str, Any]:
    """Verifies a delivery of a Brain's or an organization's webhook, and returns its content.

    Takes the body as it was received, the headers of the request, and the webhook's secret, or several during a rotation.
    Raises a `WebhookVerificationError` if the signature is missing or wrong, or was made more than `tolerance` seconds ago.
    """
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    given = {name.lower(): value for name, value in headers.items()}
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    id, timestamp, signatures = (given.get(name, "") for name in names)
    if not (id and timestamp and signatures):
        raise WebhookVerificationError("The webhook-id, webhook-timestamp or webhook-signature header is missing.")
    secrets = [secret] if isinstance(secret, str) else secret
    if not _is_signed(signatures, secrets, f"{id}.{timestamp}.".encode() + body):
        raise WebhookVerificationError("No signature of this delivery was made with this secret.")
    if not abs((time.time() if now is None else now) - _to_seconds(timestamp)) <= tolerance:
        raise WebhookVerificationError("The delivery was sent too long ago, or the clock of this machine is wrong.")
    try:
        delivery: Dict[str, Any] = json.loads(body)
    except ValueError as error:
        raise WebhookVerificationError("The delivery is signed, but its body is not JSON.") from error
    return delivery


def _to_seconds(timestamp: str) -> float:
    try:
        return float(timestamp)
    except ValueError:
        return float("nan")


def _to_key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True) if secret.startswith("whsec_") else b""
    except binascii.Error:
        key = b""
    if not key:
        raise NoemaError("A webhook secret begins with whsec_; it was shown when the webhook was created.")
    return key


def _is_signed(signatures: str, secrets: Sequence[str], content: bytes) -> bool:
    given: List[bytes] = [one[3:].encode() for one in signatures.split(" ") if one.startswith("v1,")]
    made = [base64.b64encode(hmac.new(_to_key(secret), content, hashlib.sha256).digest()) for secret in secrets]
    return any(hmac.compare_digest(one, other) for one in given for other in made)
