import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the calls in a file, and prints the results, as described in test/compat/README.md. */
final class Calls {
  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  private Calls() {}

  static String environment(String name) {
    return System.getenv("COMPAT_" + name);
  }

  static List<Map<String, Object>> read() throws Exception {
    List<Map<String, Object>> calls = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of(environment("CALLS")))) {
      if (!line.isEmpty()) calls.add(object(GSON.fromJson(line, JsonObject.class)));
    }
    return calls;
  }

  static synchronized void say(Map<String, ?> line) {
    System.out.println(GSON.toJson(line));
  }

  static void report(Throwable error, String id) {
    say(id == null ? Map.of("error", error.toString()) : Map.of("error", error.toString(), "id", id));
  }

  private static Map<String, Object> object(JsonObject json) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (String key : json.keySet()) object.put(key, value(json.get(key)));
    return object;
  }

  /** The value as typical Java code has it: integers of the smallest type that fits, and doubles. */
  private static Object value(JsonElement json) {
    if (json.isJsonNull()) return null;
    if (json.isJsonObject()) return object(json.getAsJsonObject());
    if (json.isJsonArray()) {
      List<Object> list = new ArrayList<>();
      for (JsonElement each : json.getAsJsonArray()) list.add(value(each));
      return Collections.unmodifiableList(list);
    }
    if (json.getAsJsonPrimitive().isBoolean()) return json.getAsBoolean();
    if (json.getAsJsonPrimitive().isString()) return json.getAsString();
    return number(json.getAsString());
  }

  private static Number number(String text) {
    if (!text.matches("-?[0-9]+")) return new BigDecimal(text).doubleValue();
    BigInteger integer = new BigInteger(text);
    if (integer.bitLength() < 32) return integer.intValue();
    if (integer.bitLength() < 64) return integer.longValue();
    return integer;
  }
}
