package dev.helixbg.daemon.kb;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.report.FirstLook;
import dev.helixbg.insight.report.Report;
import dev.helixbg.insight.report.ReportedFinding;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the findings out of a report.json, one after the other: of a large KB it has hundreds of
 * megabytes, of which never more than one finding is held.
 */
public final class ReportFile {
  private static final ObjectMapper JSON = new ObjectMapper();

  private ReportFile() {}

  /**
   * What a report was made from.
   *
   * @param schema see {@link Report#SCHEMA}
   * @param logSha256 the hash of the log
   * @param firstLook what it is still without; empty when it is whole
   */
  public record Origin(int schema, String logSha256, Optional<FirstLook> firstLook) {
    public boolean isOf(LogAccount log) {
      return logSha256.equals(log.sha256());
    }
  }

  /**
   * What a report lists.
   *
   * @param origin empty when it does not say what it was made from
   * @param findings what it leads with, then kind by kind, each in its order
   */
  public record Listing(Optional<Origin> origin, List<ReportedFinding> findings) {
    /** The first of an id. */
    public Optional<ReportedFinding> find(String id) {
      return findings.stream().filter(one -> one.id().equals(id)).findFirst();
    }

    public List<String> ids() {
      return findings.stream().map(ReportedFinding::id).toList();
    }
  }

  /** Hears of what a report has, in the order of the file. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * A finding with its texts.
     *
     * @param section one of {@link ReportedFinding#SECTIONS}
     * @param json as the report has it
     * @return whether to go on
     */
    boolean finding(String section, JsonNode json);

    /** Whether it is to hear of the findings of a section; others are passed over. */
    default boolean wants(String section) {
      return true;
    }

    /** Whether it is to hear of the list of all findings, which is otherwise passed over. */
    default boolean wantsList() {
      return false;
    }

    /** A finding of the list; before the first with its texts. */
    default void listed(ReportedFinding finding) {}

    /** The id of a finding that the report leads with, in its order; before all findings. */
    default void leading(String id) {}

    /**
     * What it was made from; before all findings.
     *
     * @return whether to go on
     */
    default boolean origin(Origin origin) {
      return true;
    }

    /** Whether it is to hear of entries, which are otherwise passed over. */
    default boolean wantsEntries() {
      return false;
    }

    /** The key of an entry that it was made from; after all else. */
    default void entry(String key) {}
  }

  /**
   * What the last report lists.
   *
   * @throws Failure with {@link ExitCode#KB} when there is no report, or one that lists none, as
   *     older versions wrote them
   */
  public static Listing list(Kb kb, SealedReports reports) {
    ListReader reader = new ListReader();
    read(kb, reports, reader);
    if (reader.isOlder) {
      throw new Failure(
          ExitCode.KB,
          "report.json in %s is of an older helix-bg: run helix-bg one-shot to write it anew"
              .formatted(kb.insights()));
    }
    return new Listing(reader.origin, reader.findings);
  }

  private static final class ListReader implements Visitor {
    private Optional<Origin> origin = Optional.empty();
    private final List<ReportedFinding> findings = new ArrayList<>();
    private boolean isOlder;

    @Override
    public boolean origin(Origin found) {
      origin = Optional.of(found);
      return true;
    }

    @Override
    public boolean wantsList() {
      return true;
    }

    @Override
    public void listed(ReportedFinding finding) {
      findings.add(finding);
    }

    @Override
    public boolean finding(String section, JsonNode json) {
      isOlder = findings.isEmpty();
      return false;
    }
  }

  /**
   * What the last report was made from; empty when it does not say so.
   *
   * @throws Failure as {@link #read} does
   */
  public static Optional<Origin> origin(Kb kb, SealedReports reports) {
    OriginReader reader = new OriginReader();
    read(kb, reports, reader);
    return reader.origin;
  }

  /**
   * What a report was made from; empty when it does not say so.
   *
   * @throws JacksonException when it is no JSON
   */
  static Optional<Origin> origin(InputStream report) throws IOException {
    OriginReader reader = new OriginReader();
    read(report, reader);
    return reader.origin;
  }

  private static final class OriginReader implements Visitor {
    private Optional<Origin> origin = Optional.empty();

    @Override
    public boolean origin(Origin found) {
      origin = Optional.of(found);
      return false;
    }

    @Override
    public boolean finding(String section, JsonNode json) {
      return false;
    }
  }

  /**
   * Reads the last report, as far as the visitor wants.
   *
   * @throws Failure with {@link ExitCode#KB} when there is none that this user's helix-bg wrote
   */
  public static void read(Kb kb, SealedReports reports, Visitor visitor) {
    reports.json(
        kb,
        file -> {
          try {
            read(Channels.newInputStream(file), visitor);
          } catch (JacksonException e) {
            throw new Failure(
                ExitCode.KB,
                "report.json in %s is damaged: run helix-bg one-shot to write it anew"
                    .formatted(kb.insights()));
          }
          return null;
        });
  }

  /**
   * @throws JacksonException when it is no JSON
   */
  static void read(InputStream report, Visitor visitor) throws IOException {
    try (JsonParser json = JSON.createParser(report)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        json.skipChildren();
        return;
      }
      int schema = 0;
      Optional<FirstLook> firstLook = Optional.empty();
      for (String field = json.nextFieldName(); field != null; field = json.nextFieldName()) {
        boolean isArray = json.nextToken() == JsonToken.START_ARRAY;
        if (isArray && field.equals("leading")) {
          while (json.nextToken() != JsonToken.END_ARRAY) {
            JsonNode id = json.readValueAsTree();
            visitor.leading(id.asText());
          }
        } else if (field.equals("firstLook")) {
          JsonNode look = json.readValueAsTree();
          if (look.isObject()) {
            firstLook =
                Optional.of(
                    new FirstLook(
                        look.path("entries").asInt(),
                        look.path("passages").asInt(),
                        look.path("pairs").asInt(),
                        look.path("questions").asInt()));
          }
        } else if (field.equals("log")) {
          JsonNode log = json.readValueAsTree();
          if (!visitor.origin(new Origin(schema, log.path("sha256").asText(), firstLook))) {
            return;
          }
        } else if (field.equals("schema")) {
          schema = json.getValueAsInt();
          json.skipChildren();
        } else if (field.equals("labels") && !visitor.wantsEntries()) {
          return; // they come last, and are many
        } else if (isArray && field.equals("labels")) {
          while (json.nextToken() != JsonToken.END_ARRAY) {
            JsonNode label = json.readValueAsTree();
            visitor.entry(label.path("key").asText());
          }
        } else if (isArray && field.equals("findings") && visitor.wantsList()) {
          while (json.nextToken() == JsonToken.START_OBJECT) {
            ReportedFinding finding = ReportedFinding.read(json);
            if (Decision.isId(finding.id())) {
              visitor.listed(finding);
            }
          }
        } else if (isArray && ReportedFinding.SECTIONS.contains(field) && visitor.wants(field)) {
          if (!readSection(json, field, visitor)) {
            return;
          }
        } else {
          json.skipChildren();
        }
      }
    }
  }

  private static boolean readSection(JsonParser json, String section, Visitor visitor)
      throws IOException {
    while (json.nextToken() != JsonToken.END_ARRAY) {
      JsonNode finding = json.readValueAsTree();
      if (Decision.isId(finding.path("id").asText()) && !visitor.finding(section, finding)) {
        return false;
      }
    }
    return true;
  }
}
