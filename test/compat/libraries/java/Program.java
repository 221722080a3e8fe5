import com.segment.analytics.Analytics;
import com.segment.analytics.Callback;
import com.segment.analytics.messages.AliasMessage;
import com.segment.analytics.messages.GroupMessage;
import com.segment.analytics.messages.IdentifyMessage;
import com.segment.analytics.messages.Message;
import com.segment.analytics.messages.MessageBuilder;
import com.segment.analytics.messages.PageMessage;
import com.segment.analytics.messages.ScreenMessage;
import com.segment.analytics.messages.TrackMessage;
import java.time.OffsetDateTime;
import java.util.Date;
import java.util.Map;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Makes the calls in a file with com.segment.analytics.java:analytics. */
public final class Program {
  private static final long SETTLED_WITHIN_S = 30;

  /** Has a party for each call that the library has not reported. */
  private static final Phaser outstanding = new Phaser(1);

  public static void main(String[] arguments) throws Exception {
    int batch = Integer.parseInt(Calls.environment("BATCH"));
    Analytics analytics =
        Analytics.builder(Calls.environment("WRITE_KEY"))
            .endpoint(Calls.environment("ENDPOINT"))
            .flushQueueSize(batch)
            .flushInterval(1, TimeUnit.SECONDS) // The minimum.
            .callback(new Settled())
            .build();
    for (Map<String, Object> call : Calls.read()) {
      make(analytics, call);
      Thread.sleep(Long.parseLong(Calls.environment("PAUSE_MS")));
    }
    analytics.flush();
    try {
      outstanding.awaitAdvanceInterruptibly(outstanding.arrive(), SETTLED_WITHIN_S, TimeUnit.SECONDS);
    } catch (TimeoutException error) {
      Calls.report(error, null);
    }
    analytics.shutdown();
    Calls.say(Map.of("done", true));
    System.exit(0);
  }

  private static void make(Analytics analytics, Map<String, Object> call) {
    String id = (String) call.get("id");
    Calls.say(Map.of("made", id));
    outstanding.register();
    try {
      analytics.enqueue(message(call));
    } catch (RuntimeException error) {
      outstanding.arriveAndDeregister();
      Calls.report(error, id);
    }
  }

  @SuppressWarnings("unchecked")
  private static MessageBuilder<?, ?> message(Map<String, Object> call) {
    MessageBuilder<?, ?> message = ofType(call);
    if (call.containsKey("userId")) message.userId((String) call.get("userId"));
    if (call.containsKey("anonymousId")) message.anonymousId((String) call.get("anonymousId"));
    if (call.containsKey("context")) message.context(map(call, "context"));
    if (call.containsKey("timestamp")) {
      message.timestamp(Date.from(OffsetDateTime.parse((String) call.get("timestamp")).toInstant()));
    }
    if (call.containsKey("integrations")) {
      map(call, "integrations").forEach((name, value) -> {
        if (value instanceof Boolean) message.enableIntegration(name, (Boolean) value);
        else message.integrationOptions(name, (Map<String, Object>) value);
      });
    }
    return message;
  }

  private static MessageBuilder<?, ?> ofType(Map<String, Object> call) {
    Map<String, Object> traits = map(call, "traits");
    Map<String, Object> properties = map(call, "properties");
    switch ((String) call.get("type")) {
      case "identify":
        return IdentifyMessage.builder().traits(traits);
      case "track":
        return TrackMessage.builder((String) call.get("event")).properties(properties);
      case "page":
        return withCategory(PageMessage.builder((String) call.get("name")).properties(properties), call);
      case "screen":
        return ScreenMessage.builder((String) call.get("name")).properties(properties);
      case "group":
        return GroupMessage.builder((String) call.get("groupId")).traits(traits);
      default:
        return AliasMessage.builder((String) call.get("previousId"));
    }
  }

  /** Version 3.1 has no method for the category. */
  private static PageMessage.Builder withCategory(PageMessage.Builder page, Map<String, Object> call) {
    if (!call.containsKey("category")) return page;
    try {
      page.getClass().getMethod("category", String.class).invoke(page, call.get("category"));
    } catch (NoSuchMethodException error) {
      return page;
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
    return page;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(Map<String, Object> call, String key) {
    return (Map<String, Object>) call.getOrDefault(key, Map.of());
  }

  private static final class Settled implements Callback {
    @Override
    public void success(Message message) {
      outstanding.arriveAndDeregister();
    }

    @Override
    public void failure(Message message, Throwable error) {
      Calls.report(error, null);
      outstanding.arriveAndDeregister();
    }
  }
}
