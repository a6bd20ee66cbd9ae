import com.example.facilitator.ApiClient;
import com.example.facilitator.ApiException;
import com.example.facilitator.api.DiscoveryApi;
import com.example.facilitator.api.DiscoveryApi.APIListResourcesRequest;
import com.example.facilitator.api.DiscoveryApi.APISearchResourcesRequest;
import com.example.facilitator.api.PaymentsApi;
import com.example.facilitator.api.PaymentsApi.APISettlePaymentRequest;
import com.example.facilitator.api.ServiceApi;
import com.example.facilitator.model.BazaarStatus;
import com.example.facilitator.model.DiscoveryResource;
import com.example.facilitator.model.ErrorDetail;
import com.example.facilitator.model.ErrorEnvelope;
import com.example.facilitator.model.ExtensionResponses;
import com.example.facilitator.model.FacilitatorRequest;
import com.example.facilitator.model.ReasonCode;
import com.example.facilitator.model.VerifyResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A round trip with the client that openapi-generator makes. `npm run sdk` generates the client, puts a signed payment
 * into payment.json and starts the service, with listings in its catalog.
 */
public class RoundTrip {
  /** The contract's for settle: on a busy network the answer takes up to 80 s. */
  private static final Duration SETTLE_TIMEOUT = Duration.ofSeconds(90);

  public static void main(String[] arguments) throws Exception {
    var client = new ApiClient();
    client.updateBaseUri(System.getenv("FACILITATOR_URL"));
    client.setReadTimeout(SETTLE_TIMEOUT);
    // The key that the operator gave. A facilitator that is open to all needs none.
    var key = System.getenv("FACILITATOR_KEY");
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
    var payments = new PaymentsApi(client);
    var discovery = new DiscoveryApi(client);
    var json = client.getObjectMapper();
    var payment = json.readValue(Path.of("payment.json").toFile(), FacilitatorRequest.class);

    var supported = new ServiceApi(client).getSupported();
    expect(supported.getKinds().get(0).getNetwork().equals("stellar:testnet"));

    // The seller's terms and the buyer's payment: is it good?
    expect(payments.verifyPayment(payment).getIsValid());

    // A refused payment is an answer too: 200, with the reason.
    var wrong = json.convertValue(payment, FacilitatorRequest.class);
    wrong.getPaymentRequirements().setAmount("200000");
    var refused = payments.verifyPayment(wrong);
    expect(!refused.getIsValid());
    expect(refused.getInvalidReason() == ReasonCode.INVALID_EXACT_STELLAR_PAYLOAD_WRONG_AMOUNT);

    // What cannot be read as a payment is answered with 400. This client throws it.
    var old = json.convertValue(payment, FacilitatorRequest.class);
    old.getPaymentPayload().setX402Version(1);
    try {
      payments.verifyPayment(old);
      expect(false);
    } catch (ApiException refusal) {
      expect(refusal.getCode() == 400);
      var unread = json.readValue(refusal.getResponseBody(), VerifyResponse.class);
      expect(unread.getInvalidReason() == ReasonCode.SVC_UNSUPPORTED_X402_VERSION);
    }

    // Calls that have optional parameters take a request object. Those with the parameters in a row change whenever the
    // contract gets a further one.
    var settlement = APISettlePaymentRequest.newBuilder().facilitatorRequest(payment).build();
    var answer = payments.settlePaymentWithHttpInfo(settlement);
    var settled = answer.getData();
    expect(settled.getSuccess() && settled.getTransaction().matches("[0-9a-f]{64}"));

    // Whether the resource was listed. A catalog that is too busy leaves the header out.
    for (var header : answer.getHeaders().getOrDefault("EXTENSION-RESPONSES", List.of())) {
      var responses = json.readValue(Base64.getDecoder().decode(header), ExtensionResponses.class);
      expect(responses.getBazaar().getStatus() == BazaarStatus.SUCCESS);
    }

    // The same payment again does not settle, with status 200: only `success` tells. `extra.transaction` is the hash of
    // the transaction that paid: the buyer must not pay again.
    var again = payments.settlePayment(settlement);
    expect(!again.getSuccess());
    expect(again.getErrorReason() == ReasonCode.INVALID_EXACT_STELLAR_PAYLOAD_SIMULATION_FAILED);
    expect(settled.getTransaction().equals(again.getExtra().get("transaction")));

    // These filters find what costs at most this in the asset of these terms, and was paid for lately.
    var asset = payment.getPaymentRequirements().getAsset();
    var since = OffsetDateTime.now(ZoneOffset.UTC).minusDays(1);
    var cheap =
        APIListResourcesRequest.newBuilder().type("http").asset(asset).maxAmount("1000000").updatedSince(since);
    var list = discovery.listResources(cheap.limit(5).build());
    expect(list.getItems().size() == 5);

    // Two pages of a search: the cursor of the first asks for the second.
    var search = APISearchResourcesRequest.newBuilder().query("weather report").limit(2);
    var first = discovery.searchResources(search.build());
    var second = discovery.searchResources(search.cursor(first.getPagination().getCursor()).build());
    Set<List<String>> found =
        Stream.concat(first.getResources().stream(), second.getResources().stream())
            .map((DiscoveryResource listing) -> List.of(listing.getType(), listing.getResource()))
            .collect(Collectors.toSet());
    expect(found.size() == 4);

    // A query that cannot be read is answered with 400, and its code is in `error.code`.
    try {
      discovery.searchResources(search.cursor("of another query").build());
      expect(false);
    } catch (ApiException refusal) {
      expect(refusal.getCode() == 400);
      var error = json.readValue(refusal.getResponseBody(), ErrorEnvelope.class).getError();
      expect(error.getCode() == ErrorDetail.CodeEnum.SVC_INVALID_SEARCH_CURSOR);
    }
  }

  private static void expect(boolean holds) {
    if (!holds) throw new AssertionError("not as expected");
  }
}
