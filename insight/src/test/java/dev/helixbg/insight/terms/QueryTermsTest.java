package dev.helixbg.insight.terms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Tests that vectors with only the terms of one query give the same results as vectors with all
 * terms.
 */
class QueryTermsTest {
  private static final String[] PARTS = {
    "retry",
    "Retry",
    "RETRIES",
    "retrying",
    "budget",
    "maxRetries",
    "max_retries",
    "a",
    "x",
    "ed",
    "Σίσυφος",
    "ΟΔΟΣ",
    "ΟΔΟΣ.x",
    "größe",
    "GRÖSSE",
    "İstanbul",
    "ıs",
    "K",
    "Kelvins",
    "日本語",
    "🙂",
    "\uD801\uDC00\uD801\uDC01",
    "v1.2.3",
    "15",
    "hold.ttl",
    "holds",
    "Holded",
    "x".repeat(61)
  };
  private static final String[] BETWEEN = {" ", " ", "-", "_", ".", "/", "", "\n", ", "};

  private static String text(Random random, int words) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < words; i++) {
      text.append(PARTS[random.nextInt(PARTS.length)])
          .append(BETWEEN[random.nextInt(BETWEEN.length)]);
    }
    return text.toString();
  }

  @Test
  void whatATextHasOfTheWantedTermsIsWhatItHasOfAll() {
    Random random = new Random(1);
    int found = 0;
    for (int i = 0; i < 3_000; i++) {
      String text = text(random, random.nextInt(20));
      Terms asked = Terms.of(text(random, 1 + random.nextInt(4)));
      Map<String, Integer> expected = new HashMap<>(Terms.of(text).counts());
      expected.keySet().retainAll(asked.counts().keySet());
      assertEquals(expected, Terms.among(asked.counts().keySet()).apply(text), text);
      found += expected.size();
    }
    assertTrue(found > 1_000, "most of them met nothing");
  }

  @Test
  void sharesOfTheQueryAreTheSame() {
    Random random = new Random(2);
    List<String> texts = new ArrayList<>();
    int count = 2_300; // more texts than one thread takes at once
    for (int i = 0; i < count; i++) {
      texts.add(text(random, 12));
    }
    TermVectors all = TermVectors.forQueries(Optional.empty(), count, texts::get, 1_500);
    for (int i = 0; i < 50; i++) {
      String query = text(random, 1 + random.nextInt(5));
      TermVectors some = TermVectors.forQueries(Optional.of(query), count, texts::get, 1_500);
      assertEquals(shares(all, query), shares(some, query), query);
      Terms other = Terms.of(texts.get(i));
      assertEquals(
          all.overlap(Terms.of(query), other), some.overlap(Terms.of(query), other), query);
    }
  }

  private static Map<Integer, Float> shares(TermVectors terms, String query) {
    Map<Integer, Float> shares = new HashMap<>();
    terms.products().share(query, shares::put);
    return shares;
  }
}
