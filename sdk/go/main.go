// A round trip with the client that oapi-codegen makes. `npm run sdk` generates the client, puts a signed payment into
// payment.json and starts the service, with listings in its catalog.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"time"

	"example.com/roundtrip/facilitator"
)

// The contract's for settle: on a busy network the answer takes up to 80 s.
const settleTimeout = 90 * time.Second

func main() {
	log.SetFlags(log.Lshortfile)
	ctx := context.Background()
	patient := facilitator.WithHTTPClient(&http.Client{Timeout: settleTimeout})
	// The key that the operator gave. A facilitator that is open to all needs none.
	withKey := facilitator.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("FACILITATOR_KEY"))
		return nil
	})
	client := must(facilitator.NewClientWithResponses(os.Getenv("FACILITATOR_URL"), patient, withKey))
	var payment facilitator.FacilitatorRequest
	check(json.Unmarshal(must(os.ReadFile("payment.json")), &payment))

	supported := must(client.GetSupportedWithResponse(ctx)).JSON200
	expect(supported.Kinds[0].Network == "stellar:testnet")

	// The seller's terms and the buyer's payment: is it good?
	valid := must(client.VerifyPaymentWithResponse(ctx, payment)).JSON200
	expect(valid.IsValid)

	// A refused payment is an answer too: 200, with the reason.
	wrong := payment
	wrong.PaymentRequirements.Amount = "200000"
	refused := must(client.VerifyPaymentWithResponse(ctx, wrong)).JSON200
	expect(!refused.IsValid)
	expect(*refused.InvalidReason == facilitator.ReasonCodeInvalidExactStellarPayloadWrongAmount)

	// What cannot be read as a payment is answered with 400. In this client each status has a field, and the others
	// are nil.
	old := payment
	old.PaymentPayload.X402Version = 1
	unread := must(client.VerifyPaymentWithResponse(ctx, old))
	expect(unread.JSON200 == nil && unread.JSON400 != nil)
	expect(*unread.JSON400.InvalidReason == facilitator.ReasonCodeSvcUnsupportedX402Version)

	// The optional header of a settle: an Idempotency-Key.
	once := facilitator.SettlePaymentParams{}
	settled := must(client.SettlePaymentWithResponse(ctx, &once, payment))
	expect(settled.JSON200 != nil && settled.JSON200.Success && len(settled.JSON200.Transaction) == 64)

	// Whether the resource was listed. A catalog that is too busy leaves the header out.
	if header := settled.Headers200.EXTENSIONRESPONSES; header != nil {
		var responses facilitator.ExtensionResponses
		check(json.Unmarshal(must(base64.StdEncoding.DecodeString(*header)), &responses))
		expect(responses.Bazaar.Status == facilitator.BazaarStatusSuccess)
	}

	// The same payment again does not settle, with status 200: only Success tells. Extra["transaction"] is the hash of
	// the transaction that paid: the buyer must not pay again.
	again := must(client.SettlePaymentWithResponse(ctx, &once, payment)).JSON200
	expect(again != nil && !again.Success)
	expect(*again.ErrorReason == facilitator.ReasonCodeInvalidExactStellarPayloadSimulationFailed)
	expect(again.Extra != nil && (*again.Extra)["transaction"] == settled.JSON200.Transaction)

	five := facilitator.Limit(5)
	// These filters find what costs at most this in the asset of these terms, and was paid for lately.
	asset := payment.PaymentRequirements.Asset
	most := "1000000"
	since := time.Now().Add(-24 * time.Hour)
	cheap := facilitator.ListResourcesParams{Limit: &five, Asset: &asset, MaxAmount: &most, UpdatedSince: &since}
	list := must(client.ListResourcesWithResponse(ctx, &cheap)).JSON200
	expect(len(list.Items) == 5)

	// Two pages of a search: the cursor of the first asks for the second.
	two := facilitator.Limit(2)
	query := facilitator.SearchResourcesParams{Query: "weather report", Limit: &two}
	first := must(client.SearchResourcesWithResponse(ctx, &query)).JSON200
	query.Cursor = first.Pagination.Cursor
	second := must(client.SearchResourcesWithResponse(ctx, &query)).JSON200
	found := map[string]bool{}
	for _, listing := range append(first.Resources, second.Resources...) {
		found[listing.Type+" "+listing.Resource] = true
	}
	expect(len(found) == 4)

	// A query that cannot be read is answered with 400, and its code is in Error.Code.
	cursor := "of another query"
	query.Cursor = &cursor
	foreign := must(client.SearchResourcesWithResponse(ctx, &query))
	expect(foreign.StatusCode() == http.StatusBadRequest)
	expect(foreign.JSON400.Error.Code == facilitator.ErrorDetailCodeSvcInvalidSearchCursor)
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Output(2, err.Error())
		os.Exit(1)
	}
}

// Fails with the line of the caller.
func expect(holds bool) {
	if !holds {
		log.Output(2, "not as expected")
		os.Exit(1)
	}
}
