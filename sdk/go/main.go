// A round trip with the client that oapi-codegen makes.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"example.com/roundtrip/facilitator"
)

func main() {
	log.SetFlags(log.Lshortfile)
	ctx := context.Background()
	client := must(facilitator.NewClientWithResponses(os.Getenv("FACILITATOR_URL")))
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

	settled := must(client.SettlePaymentWithResponse(ctx, payment)).JSON200
	expect(settled.Success && len(settled.Transaction) == 64)

	five := facilitator.Limit(5)
	list := must(client.ListResourcesWithResponse(ctx, &facilitator.ListResourcesParams{Limit: &five})).JSON200
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

	// What is no payment is refused with an error: its code is in the envelope.
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
