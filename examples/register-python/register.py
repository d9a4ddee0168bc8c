"""Registers an agent without a client library: python3 register.py

Needs Python 3.9 or newer and the package `cryptography`, for Ed25519 signatures. GATEWAY is the
address of the gateway, INVITE_CODE an invite code: the gateway pays.
"""

import base64, hashlib, http.client, json, os, time, urllib.error, urllib.request
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

GATEWAY = os.environ.get("GATEWAY", "http://localhost:3000")
INVITE_CODE = os.environ["INVITE_CODE"]
# The registry program that you trust. Do not take it from the gateway.
PROGRAM = os.environ.get("PROGRAM", "DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs")
SYSTEM_PROGRAM = "11111111111111111111111111111111"
RESEARCH = 7
ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P


def to_base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def from_base58(text):
    number = 0
    for char in text:
        number = number * 58 + ALPHABET.index(char)
    return number.to_bytes(32, "big")


def is_on_curve(data):
    y = int.from_bytes(data, "little") & ((1 << 255) - 1)
    x2 = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    return x2 == 0 or pow(x2, (P - 1) // 2, P) == 1


def derived_address(*seeds):
    for bump in range(255, -1, -1):
        content = b"".join(seeds) + bytes([bump]) + from_base58(PROGRAM) + b"ProgramDerivedAddress"
        address = hashlib.sha256(content).digest()
        if not is_on_curve(address):
            return to_base58(address)


class Unanswered(Exception):
    """It is not known whether the gateway did what was asked."""


def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(GATEWAY + path, data, {"content-type": "application/json"})
    try:
        return json.load(urllib.request.urlopen(request, timeout=30))
    except urllib.error.HTTPError as error:
        if error.code >= 500:
            raise Unanswered(f"{error.code} {error.reason}")
        raise SystemExit(f"{error.code} {error.read().decode()}")
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise Unanswered(error)


def attempt(path, body=None, ignored=Unanswered):
    try:
        return call(path, body)
    except ignored:
        return {"status": "unknown"}


def text(value):
    return len(value.encode()).to_bytes(4, "little") + value.encode()


key = Ed25519PrivateKey.generate()
public_key = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
owner = to_base58(public_key)
# The file that you publish at the URL.
card = json.dumps({"name": "Python Scout"}).encode()
data = (
    bytes([135, 157, 66, 195, 2, 113, 175, 30])  # register_agent
    + text("Python Scout")
    + bytes([RESEARCH])
    + text("https://agents.example.org/python-scout.json")
    + hashlib.sha256(card).digest()
)
fee_payer = call("/health/detailed")["feePayer"]["pubkey"]
agent = derived_address(b"agent", public_key)
accounts = [  # address, signer, writable
    (fee_payer, True, True),
    (owner, True, False),
    (agent, False, True),
    (derived_address(b"deactivated", public_key), False, False),
    (derived_address(b"config"), False, False),
    (SYSTEM_PROGRAM, False, False),
    (derived_address(b"__event_authority"), False, False),
    (PROGRAM, False, False),
]
keys = [{"pubkey": k, "isSigner": s, "isWritable": w} for k, s, w in accounts]
instruction = {"programId": PROGRAM, "keys": keys, "data": base64.b64encode(data).decode()}
sponsored = {"signerPubkey": owner, "inviteCode": INVITE_CODE}
prepared = call("/sponsor/register", {"instructions": [instruction], **sponsored})

# A count of signatures, 64 bytes for each, and the message. The fee payer signs first, then the owner.
transaction = bytearray(base64.b64decode(prepared["serializedTx"]))
count, message = transaction[0], bytes(transaction[1 + 64 * transaction[0] :])
signers = [to_base58(message[5 + 32 * i : 37 + 32 * i]) for i in range(count)]
# Enough for a new wallet, which owns nothing. A wallet with funds must compare the whole message.
if signers != [fee_payer, owner] or data not in message:
    raise SystemExit("The gateway prepared another transaction. It was not signed.")
transaction[65:129] = key.sign(message)
signed = base64.b64encode(transaction).decode()
submission = {"id": prepared["id"], "signedTx": signed, **sponsored}
record = attempt("/sponsor/register/submit", submission)
# A lost response does not say whether it was sent. The same transaction is sent once, so repeat it.
while record["status"] not in ("confirmed", "failed"):
    time.sleep(1)
    record = attempt("/relay/status/" + prepared["id"])
    if record["status"] == "simulated":
        record = attempt("/sponsor/register/submit", submission, (Unanswered, SystemExit))
print(record["status"], agent)
