"""A round trip with the client that openapi-python-client makes."""

import json
import os
import re
from http import HTTPStatus
from pathlib import Path

import httpx
from facilitator import Client
from facilitator.api.discovery import list_resources, search_resources
from facilitator.api.payments import settle_payment, verify_payment
from facilitator.api.service import get_supported
from facilitator.models import (
    DiscoveryListResponse,
    DiscoverySearchResponse,
    ErrorDetailCode,
    ErrorEnvelope,
    FacilitatorRequest,
    ReasonCode,
    SettleResponse,
    SupportedResponse,
    VerifyResponse,
)

client = Client(base_url=os.environ["FACILITATOR_URL"], timeout=httpx.Timeout(90))
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

settled = settle_payment.sync(client=client, body=payment)
assert isinstance(settled, SettleResponse)
assert settled.success and re.fullmatch("[0-9a-f]{64}", settled.transaction)

listed = list_resources.sync(client=client, type_="http", limit=5)
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

# What is no payment is refused with an error: its code is in the envelope.
foreign = search_resources.sync_detailed(
    client=client, query="weather report", cursor="of another query"
)
assert foreign.status_code == HTTPStatus.BAD_REQUEST
assert isinstance(foreign.parsed, ErrorEnvelope)
assert foreign.parsed.error.code == ErrorDetailCode.SVC_INVALID_SEARCH_CURSOR
