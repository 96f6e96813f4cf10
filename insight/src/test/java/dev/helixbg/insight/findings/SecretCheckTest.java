package dev.helixbg.insight.findings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.findings.Finding.Secret;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.SecretMask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that secrets are found among similar texts. All secrets here are invented. */
class SecretCheckTest {
  private static final Random RANDOM = new Random(3);

  /** Makes a random secret; scanners would report a literal secret in this file as a leak. */
  private static String drawn(String prefix, int length) {
    StringBuilder text = new StringBuilder(prefix).append("Q7b");
    String letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    while (text.length() < prefix.length() + length) {
      text.append(letters.charAt(RANDOM.nextInt(letters.length())));
    }
    return text.toString();
  }

  private static String upper(int length) {
    return drawn("", length + 20).toUpperCase().replaceAll("[^A-Z2-7]", "").substring(0, length);
  }

  private static List<NamedEntry> entries(List<String> bodies) {
    List<Entry> entries = new ArrayList<>();
    for (String body : bodies) {
      entries.add(Entry.of(100L * entries.size(), "notes", body, 0));
    }
    return NamedEntry.all(entries, entry -> "%032x".formatted(entry.offset()));
  }

  private static List<Secret> secrets(List<String> bodies) {
    return SecretCheck.of(entries(bodies));
  }

  private static final List<String> SECRETS =
      List.of(
          "Deploy key of the shop: " + drawn("ghp_", 36),
          "CI pushes with " + drawn("github_pat_", 82) + ", renewed in May.",
          "export AWS_ACCESS_KEY_ID=AKIA" + upper(16) + "\nThe secret is in the vault.",
          "The bot posts with " + drawn("xoxb-", 50),
          "Payments: " + drawn("sk_live_", 24) + " is the live key.",
          "Maps key " + drawn("AIza", 35) + " is bound to our referrer.",
          "OpenAI: " + drawn("sk-", 48),
          "Registry token " + drawn("npm_", 36) + " may publish.",
          "Upload with " + drawn("pypi-", 120),
          "Staging database is postgres://app:" + drawn("", 14) + "@db.internal:5432/shop",
          "-----BEGIN RSA PRIVATE KEY-----\n" + (drawn("", 64) + "\n").repeat(8),
          "Call it with Bearer " + drawn("eyJ", 40) + "." + drawn("eyJ", 60) + "." + drawn("", 43));

  private static final List<String> NO_SECRETS =
      List.of(
          "The documentation shows AKIA" + "IOSFODNN7EXAMPLE as access key.",
          "A token of GitHub looks like " + drawn("ghp_", 36) + ": 40 characters.",
          "For example " + drawn("sk-", 48) + " is a key of that form.",
          "Write sk-your-api-key-goes-here-0123456789ABCDEF into the settings.",
          "The commit is 3f9a01c2d4e5b6a7988c7d6e5f4a3b2c1d0e9f8a.",
          "SHA-256 of the model: "
              + "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
          "The file begins with -----BEGIN PRIVATE KEY----- and is PEM.",
          "postgres://user:password1@localhost/db is the default.",
          "amqp://guest:guest@rabbit works on localhost only.",
          "https://${USER}:${TOKEN1}@github.com/shop.git is how CI clones.",
          "UUID 550e8400-e29b-41d4-a716-446655440000 names the tenant.",
          "Every manual shows eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
              + ".eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P");

  @Test
  void plantedSecretsAreFoundAmongTextsThatLookLikeThem() {
    List<String> all = new ArrayList<>(SECRETS);
    all.addAll(NO_SECRETS);
    assertEquals(SECRETS, secrets(all).stream().map(one -> all.get(one.entry().index())).toList());
  }

  @Test
  void notesOfTheEvaluationsHoldNoSecret() throws IOException {
    List<String> bodies = new ArrayList<>();
    for (String folder : List.of("test/resources/findings-kb", "judge/lessons/measured")) {
      try (Stream<Path> files = Files.list(Path.of("src", folder))) {
        for (Path file : files.filter(one -> one.toString().endsWith(".md")).sorted().toList()) {
          for (String note : Files.readString(file).split("\n\n+")) {
            bodies.add(note.replaceFirst("^- \\d[^\n]*\n(?:\\s*\\[[a-z]+:[^\n]*\n)*", "").strip());
          }
        }
      }
    }
    assertTrue(bodies.size() > 500, bodies.size() + " paragraphs");
    assertEquals(List.of(), secrets(bodies));
  }

  /** A shown finding does not contain the secret, and positions in its text do not change. */
  @Test
  void secretsAreMaskedWithoutMovingWhatFollows() {
    for (String secret : SECRETS) {
      Secret found = secrets(List.of(secret)).getFirst();
      String shown = found.entry().entry().body();
      assertEquals(secret.length(), shown.length());
      assertTrue(shown.contains("********"), shown);
      assertEquals(shown, SecretMask.masked(shown), "nothing is left to mask");
      for (String word : secret.split("\\s+")) {
        assertFalse(word.length() > 19 && found.toString().contains(word), shown);
      }
      assertEquals("%032x".formatted(0), found.entry().key());
    }
  }

  @Test
  void idsOutlastChangesElsewhere() {
    List<NamedEntry> all = entries(SECRETS.subList(0, 2));
    assertEquals(
        SecretCheck.of(all).getLast().id(), SecretCheck.of(all.subList(1, 2)).getFirst().id());
  }

  @Test
  void aMaskedEntryIsStillTheOneThatOthersLinkTo() {
    List<NamedEntry> all = entries(List.of(SECRETS.getFirst(), "[links: notes:0]\nIt is old."));
    assertTrue(all.getFirst().linked());
    assertTrue(SecretCheck.masked(all.getFirst()).linked());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"-----BEGIN PRIVATE KEY-----\n", "://a:", "eyJ", "sk-", "eyJaaaaaaaaaaaa.", "a/"})
  void noTextTakesLong(String part) {
    String text = part.repeat((1 << 20) / part.length());
    assertTimeoutPreemptively(Duration.ofSeconds(60), () -> secrets(List.of(text, "x" + text)));
  }
}
