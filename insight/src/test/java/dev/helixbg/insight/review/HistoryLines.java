package dev.helixbg.insight.review;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.embed.store.JsonLines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All that stands in a history, where the product only ever wants the newest. */
public final class HistoryLines {
  private HistoryLines() {}

  /** All reviews, oldest first; none when there is no file. */
  public static List<Review> of(Path insights) throws IOException {
    List<Review> reviews = new ArrayList<>();
    new JsonLines(insights.resolve(ReviewHistory.NAME), Integer.MAX_VALUE - 1)
        .read(HistoryLines::parse, reviews::add);
    return reviews;
  }

  private static Optional<Review> parse(String line) {
    try {
      return ReviewHistory.fromJson(new ObjectMapper().readTree(line));
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }
}
