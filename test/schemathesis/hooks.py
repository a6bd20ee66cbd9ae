"""What the contract cannot say: which payments settle, which cursors were issued, and rules of the specification."""

import atexit
import base64
import json
import os
import zlib

import jsonschema_rs
import requests
import schemathesis

PAYMENTS = ("POST /verify", "POST /settle")
DISCOVERY = ("GET /discovery/resources", "GET /discovery/search")
# One of so many generated payments is replaced with one that a stock client has signed.
SIGNED_SHARE = 4

signed = set()  # transactions of the stock client
queries = {}  # for each operation and cursor, the query it was issued for
reached = {"valid payments": 0, "settled payments": 0, "listings": 0, "refused listings": 0, "next pages": 0}


@schemathesis.hook
def before_call(context, case, kwargs):
    """Puts in payments that settle, and the query that a cursor belongs to. Requests that are to be wrong stay so."""
    # No schema says that an amount needs an asset, and that a sorted list has no offset.
    if is_valid(case) and "maxAmount" in (case.query or {}):
        case.query = {"asset": "any", **case.query}
    if is_valid(case) and "sort" in (case.query or {}):
        case.query = {key: value for key, value in case.query.items() if key != "offset"}
    if not is_valid(case) or case.meta.phase.name.value not in ("fuzzing", "stateful"):
        return
    if case.operation.label in PAYMENTS and transaction_of(case.body) not in signed:
        # By the body, not by chance: a case that is sent again, to be shrunk, means the same.
        if zlib.crc32(repr(case.body).encode("utf-8", "surrogatepass")) % SIGNED_SHARE == 0:
            case.body = requests.get(os.environ["PAYMENTS_URL"], timeout=30).json()
            signed.add(transaction_of(case.body))
    if issued_to(case) in queries:
        case.query = {**queries[issued_to(case)], "cursor": case.query["cursor"]}


@schemathesis.hook
def after_call(context, case, response):
    """Remembers cursors, and counts what the run came to."""
    if response.status_code != 200:
        return
    body = response.json()
    if case.operation.label in DISCOVERY:
        reached["next pages"] += issued_to(case) in queries
        cursor = body["pagination"].get("cursor")
        if cursor is not None:
            query = {key: value for key, value in case.query.items() if key != "cursor"}
            queries[case.operation.label, cursor] = query
    reached["valid payments"] += body.get("isValid", False)
    reached["settled payments"] += body.get("success", False)
    for outcome in extension_responses_of(response):
        reached["listings" if outcome["bazaar"]["status"] == "success" else "refused listings"] += 1


@atexit.register
def write_reached():
    with open("reached.json", "w") as file:
        json.dump(reached, file)


@schemathesis.check
def unknown_route(ctx, response, case):
    """A method that a path does not serve answers 404, and the reason lists the routes (specification 4, 7.4)."""
    routes = {result.ok().label for result in case.operation.schema.get_all_operations()}
    if f"{case.method.replace('HEAD', 'GET')} {case.path}" in routes:
        return
    error = response.json()["error"]
    assert response.status_code == 404, "a method that is not served must answer 404"
    assert error["code"] == "svc_unknown_route", "the code must be svc_unknown_route"
    assert all(route in error["reason"] for route in routes), "the reason must list the routes"


@schemathesis.check
def discovery_refusal(ctx, response, case):
    """A valid list or search is refused only for a cursor that was not issued for it (specification 4.5)."""
    if case.operation.label not in DISCOVERY or response.status_code != 400 or not is_valid(case):
        return
    assert response.json()["error"]["code"] == "svc_invalid_search_cursor", "a valid query was refused"
    assert issued_to(case) not in queries, "a cursor was refused with the query it was issued for"


@schemathesis.check
def extension_responses(ctx, response, case):
    """The header EXTENSION-RESPONSES holds what its contentSchema says; other checks see a string only."""
    schema = {**case.operation.schema.raw_schema, "$ref": "#/components/schemas/ExtensionResponses"}
    for outcome in extension_responses_of(response):
        assert jsonschema_rs.is_valid(schema, outcome), f"{outcome} is no ExtensionResponses"


def is_valid(case):
    return case.meta is not None and case.meta.generation.mode.is_positive


def issued_to(case):
    """The operation and the cursor that it is asked to go on from."""
    return case.operation.label, (case.query or {}).get("cursor")


def transaction_of(body):
    try:
        return body["paymentPayload"]["payload"]["transaction"]
    except (KeyError, TypeError):
        return None


def extension_responses_of(response):
    return [json.loads(base64.b64decode(text)) for text in response.headers.get("extension-responses", [])]
