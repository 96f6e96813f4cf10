package dev.helixbg.daemon.kb;

import dev.helixbg.config.text.NearestName;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.Entry;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The topics that a knowledge base has now, for whoever is told one by name. */
public final class KbTopics {
  private static final int NAMED = 10;
  private static final int LONGEST = 40;

  private KbTopics() {}

  /**
   * @throws Failure with a usage error when there is no such topic: with the one that was probably
   *     meant, else with some that there are
   */
  public static void require(Kb kb, String topic) throws InterruptedException {
    require(kb, DataLog.readQuiet(kb.dataLog()).entries().stream().map(Entry::topic), topic);
  }

  /**
   * @param topics of the entries that it has, just read
   * @see #require(Kb, String)
   */
  public static void require(Kb kb, Stream<String> topics, String topic) {
    SortedSet<String> all = topics.collect(Collectors.toCollection(TreeSet::new));
    if (!all.contains(topic)) {
      throw Failure.usage(
          "there is no topic %s in %s%s"
              .formatted(
                  PrintableText.excerpt(topic, LONGEST),
                  kb.folder(),
                  NearestName.meant(topic, all, "; it has " + some(all))));
    }
  }

  private static String some(SortedSet<String> topics) {
    if (topics.isEmpty()) {
      return "none";
    }
    String names =
        topics.stream()
            .limit(NAMED)
            .map(topic -> PrintableText.excerpt(topic, LONGEST))
            .collect(Collectors.joining(", "));
    return topics.size() > NAMED ? names + " and %,d more".formatted(topics.size() - NAMED) : names;
  }
}
