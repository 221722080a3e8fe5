import base64
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

TOLERANCE_SECONDS = 5 * 60


def is_signed(public_key, headers, body):
    """public_key: begins with whpk_"""
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not message_id or not timestamp.isdecimal() or len(timestamp) > 12:
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key.removeprefix("whpk_")))
    except ValueError:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    for each in headers.get("webhook-signature", "").split(" ")[:10]:
        try:
            if each.startswith("v1a,"):
                key.verify(base64.b64decode(each[4:]), signed)
                return True
        except (InvalidSignature, ValueError):
            pass
    return False
