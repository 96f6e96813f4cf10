package dev.helixbg.daemon.kb;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.config.Settings.InsightSettings;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.review.ReviewSubject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What reviews tell of, read out of the last report: so nothing has to be compared again. Where its
 * entries or topics are not those of the log, all of it is left alone.
 */
public final class ReportForReviews {
  private static final String COPIES = "copies";
  private static final String OVERLAPS = "topicOverlaps";
  private static final String RELATIONS = "relations";

  private final LogAccount log;
  private final Map<Long, NamedEntry> byOffset;
  private final Set<String> topics;
  private final List<Finding.Copies> copies = new ArrayList<>();
  private final List<Finding.TopicOverlap> overlaps = new ArrayList<>();
  private final List<Finding.Relation> relations = new ArrayList<>();

  /** Whether all that was read until now is of the log. */
  private boolean fits;

  private ReportForReviews(LogAccount log, List<NamedEntry> live) {
    this.log = log;
    byOffset =
        live.stream().collect(Collectors.toMap(one -> one.entry().offset(), Function.identity()));
    topics = live.stream().map(one -> one.entry().topic()).collect(Collectors.toSet());
  }

  /**
   * @param log that it has to be of
   * @param live all entries of that log, as a report shows them
   * @param limits the settings that the report was made with
   * @return empty when it is of another log, or not whole
   * @throws Failure as {@link ReportFile#read} does
   */
  public static Optional<ReviewSubject.Found> read(
      Kb kb, SealedReports reports, LogAccount log, List<NamedEntry> live, InsightSettings limits) {
    ReportForReviews made = new ReportForReviews(log, live);
    ReportFile.read(kb, reports, made.new Reader());
    made.relations.sort(Comparator.comparingInt(Finding.Relation::place));
    return made.fits
        ? Optional.of(
            new ReviewSubject.Found(live, made.copies, made.overlaps, made.relations, limits))
        : Optional.empty();
  }

  private final class Reader implements ReportFile.Visitor {
    @Override
    public boolean origin(ReportFile.Origin origin) {
      fits = origin.isOf(log) && origin.firstLook().isEmpty();
      return fits;
    }

    @Override
    public boolean wants(String section) {
      return fits && Set.of(COPIES, OVERLAPS, RELATIONS).contains(section);
    }

    @Override
    public boolean finding(String section, JsonNode json) {
      switch (section) {
        case COPIES -> copies.add(copies(json));
        case OVERLAPS -> overlaps.add(overlap(json));
        default -> relations.add(relation(json));
      }
      return fits;
    }
  }

  private Finding.Copies copies(JsonNode json) {
    List<NamedEntry> entries = new ArrayList<>();
    json.path("entries").forEach(entry -> entries.add(entry(entry)));
    return new Finding.Copies(json.path("id").asText(), entries);
  }

  private Finding.TopicOverlap overlap(JsonNode json) {
    return new Finding.TopicOverlap(
        json.path("id").asText(),
        topic(json.path("a")),
        topic(json.path("b")),
        json.path("similarity").asDouble(),
        json.path("entriesA").asInt(),
        json.path("entriesB").asInt());
  }

  private Finding.Relation relation(JsonNode json) {
    JsonNode passages = json.at("/evidence/passages");
    Optional<Finding.Matching> matching =
        passages.isObject()
            ? Optional.of(
                new Finding.Matching(
                    passage(passages.path("a")),
                    passage(passages.path("b")),
                    passages.path("similarity").asDouble(),
                    0,
                    0))
            : Optional.empty();
    return new Finding.Relation(
        json.path("id").asText(),
        entry(json.path("a")),
        entry(json.path("b")),
        json.path("score").asDouble(),
        json.path("similarity").asDouble(),
        new Finding.Evidence(0, 0, List.of(), Optional.empty(), matching),
        json.path("rankUnread").asInt());
  }

  private static Passage passage(JsonNode json) {
    return new Passage(json.path("start").asInt(), json.path("end").asInt());
  }

  private NamedEntry entry(JsonNode json) {
    NamedEntry there = byOffset.get(json.path("offset").asLong());
    fits &= there != null && there.key().equals(json.path("key").asText());
    return there;
  }

  /** Names that are too long for a report are cut there. */
  private String topic(JsonNode json) {
    fits &= topics.contains(json.asText());
    return json.asText();
  }
}
