import com.example.facilitator.ApiClient;
import com.example.facilitator.ApiException;
import com.example.facilitator.api.DiscoveryApi;
import com.example.facilitator.api.PaymentsApi;
import com.example.facilitator.api.ServiceApi;
import com.example.facilitator.model.DiscoveryResource;
import com.example.facilitator.model.ErrorDetail;
import com.example.facilitator.model.ErrorEnvelope;
import com.example.facilitator.model.FacilitatorRequest;
import com.example.facilitator.model.ReasonCode;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A round trip with the client that openapi-generator makes. */
public class RoundTrip {
  public static void main(String[] arguments) throws Exception {
    var client = new ApiClient();
    client.updateBaseUri(System.getenv("FACILITATOR_URL"));
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

    var settled = payments.settlePayment(payment);
    expect(settled.getSuccess() && settled.getTransaction().matches("[0-9a-f]{64}"));

    var list = discovery.listResources("http", null, null, null, null, 5, null);
    expect(list.getItems().size() == 5);

    // Two pages of a search: the cursor of the first asks for the second.
    var first = discovery.searchResources("weather report", null, null, null, null, null, 2, null);
    var cursor = first.getPagination().getCursor();
    var second = discovery.searchResources("weather report", null, null, null, null, null, 2, cursor);
    Set<List<String>> found =
        Stream.concat(first.getResources().stream(), second.getResources().stream())
            .map((DiscoveryResource listing) -> List.of(listing.getType(), listing.getResource()))
            .collect(Collectors.toSet());
    expect(found.size() == 4);

    // What is no payment is refused with an error: its code is in the envelope.
    try {
      discovery.searchResources("weather report", null, null, null, null, null, 2, "of another query");
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
