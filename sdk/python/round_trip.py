"""A round trip with the client that openapi-python-client makes.

`npm run sdk` generates the client, puts a signed payment into payment.json and starts the service,
with listings in its catalog.
"""

import base64
import json
import os
import re
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path

import httpx
from facilitator import AuthenticatedClient
from facilitator.api.discovery import list_resources, search_resources
from facilitator.api.payments import settle_payment, verify_payment
from facilitator.api.service import get_supported
from facilitator.models import (
    BazaarOutcome,
    BazaarStatus,
    DiscoveryListResponse,
    DiscoverySearchResponse,
    ErrorDetailCode,
    ErrorEnvelope,
    ExtensionResponses,
    FacilitatorRequest,
    ReasonCode,
    SettleResponse,
    SupportedResponse,
    VerifyResponse,
)

# The contract's for settle: on a busy network the answer takes up to 80 s, and httpx waits only 5.
SETTLE_TIMEOUT_SECONDS = 90

timeout = httpx.Timeout(SETTLE_TIMEOUT_SECONDS)
# The token is the key that the operator gave. A facilitator that is open to all needs none: use Client.
client = AuthenticatedClient(
    base_url=os.environ["FACILITATOR_URL"], token=os.environ["FACILITATOR_KEY"], timeout=timeout
)
payment = FacilitatorRequest.from_dict(json.loads(Path("payment.json").read_text()))

supported = get_supported.sync(client=client)
assert isinstance(supported, SupportedResponse)
assert supported.kinds[0].network == "stellar:testnet"

# The seller's terms and the buyer's payment: is it good?
valid = verify_payment.sync(client=client, body=payment)
assert isinstance(valid, VerifyResponse)
assert valid.is_valid

# A refused payment is an answer too: 200, with the reason.
wrong = FacilitatorRequest.from_dict(payment.to_dict())
wrong.payment_requirements.amount = "200000"
refused = verify_payment.sync(client=client, body=wrong)
assert isinstance(refused, VerifyResponse)
assert not refused.is_valid
assert refused.invalid_reason == ReasonCode.INVALID_EXACT_STELLAR_PAYLOAD_WRONG_AMOUNT

# What cannot be read as a payment is answered with 400. In this client it has the type of a verdict:
# only `sync_detailed` tells the status.
old = FacilitatorRequest.from_dict(payment.to_dict())
old.payment_payload.x_402_version = 1
unread = verify_payment.sync_detailed(client=client, body=old)
assert unread.status_code == HTTPStatus.BAD_REQUEST
assert isinstance(unread.parsed, VerifyResponse)
assert unread.parsed.invalid_reason == ReasonCode.SVC_UNSUPPORTED_X402_VERSION

settled = settle_payment.sync_detailed(client=client, body=payment)
assert isinstance(settled.parsed, SettleResponse)
assert settled.parsed.success and re.fullmatch("[0-9a-f]{64}", settled.parsed.transaction)

# Whether the resource was listed. A catalog that is too busy leaves the header out.
header = settled.headers.get("EXTENSION-RESPONSES")
if header is not None:
    responses = ExtensionResponses.from_dict(json.loads(base64.b64decode(header)))
    assert isinstance(responses.bazaar, BazaarOutcome)
    assert responses.bazaar.status == BazaarStatus.SUCCESS

# The same payment again does not settle, with status 200: only `success` tells. `extra["transaction"]` is
# the hash of the transaction that paid: the buyer must not pay again.
again = settle_payment.sync(client=client, body=payment)
assert isinstance(again, SettleResponse)
assert not again.success
assert again.error_reason == ReasonCode.INVALID_EXACT_STELLAR_PAYLOAD_SIMULATION_FAILED
assert again.extra and again.extra["transaction"] == settled.parsed.transaction

# These filters find what costs at most this in the asset of these terms, and was paid for lately.
listed = list_resources.sync(
    client=client,
    type_="http",
    asset=payment.payment_requirements.asset,
    max_amount="1000000",
    updated_since=datetime.now(UTC) - timedelta(days=1),
    limit=5,
)
assert isinstance(listed, DiscoveryListResponse)
assert len(listed.items) == 5

# Two pages of a search: the cursor of the first asks for the second.
first = search_resources.sync(client=client, query="weather report", limit=2)
assert isinstance(first, DiscoverySearchResponse)
assert first.pagination.cursor is not None
second = search_resources.sync(
    client=client, query="weather report", limit=2, cursor=first.pagination.cursor
)
assert isinstance(second, DiscoverySearchResponse)
found = {(listing.type_, listing.resource) for listing in first.resources + second.resources}
assert len(found) == 4

# A query that cannot be read is answered with 400, and its code is in `error.code`.
foreign = search_resources.sync_detailed(
    client=client, query="weather report", cursor="of another query"
)
assert foreign.status_code == HTTPStatus.BAD_REQUEST
assert isinstance(foreign.parsed, ErrorEnvelope)
assert foreign.parsed.error.code == ErrorDetailCode.SVC_INVALID_SEARCH_CURSOR
