package dev.helixbg.insight.report;

import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Pairs of entries that may be about one matter.
 *
 * @param total how many there are, and how many of them are shown
 * @param first what leads
 * @param intro what they are and what to do with them
 * @param folds what is folded away where a format can fold
 * @param cutWords says that only the best are listed; or nothing
 * @param none said instead of a list when there are none
 */
record PairSection(
    String total,
    String intro,
    List<PairView> first,
    List<Fold> folds,
    Optional<String> cutWords,
    String none) {
  /** Of a group. */
  private static final int NAMED = 8;

  /** Pairs under one heading. */
  record Fold(String words, List<PairView> pairs) {}

  /** The list of relations: what leads in full, the rest folded, all the others in report.json. */
  static PairSection of(Findings findings, Judgements judgements) {
    List<Finding.Relation> found = findings.relations();
    JudgedRelations judged = JudgedRelations.of(found, judgements);
    int shown = Math.min(found.size(), Findings.shownRelations(findings.entries().size()));
    Set<String> leading = new LinkedHashSet<>();
    judged.leading().forEach(best -> leading.add(best.id()));
    List<List<NamedEntry>> groups = judged.groups(judgements);
    Map<String, PairView> views = new LinkedHashMap<>();
    leading.forEach(id -> views.put(id, null)); // which holds their places
    for (int i = 0; i < found.size(); i++) {
      Finding.Relation relation = found.get(i);
      boolean leads = leading.contains(relation.id());
      if (i < shown || leads) {
        views.put(
            relation.id(),
            PairView.of(
                relation,
                i + 1,
                relation.kind(findings.limits()),
                leads ? groupWords(relation, groups) : Optional.empty(),
                judgements));
      }
    }
    List<PairView> first = new ArrayList<>();
    Map<Rest, List<PairView>> rest = new EnumMap<>(Rest.class);
    for (List<PairView> some : PairView.byFiles(views.values())) {
      List<PairView> list = first;
      if (!leading.contains(some.getFirst().id())) {
        Rest best = some.stream().map(Rest::of).min(Comparator.naturalOrder()).orElseThrow();
        list = rest.computeIfAbsent(best, _ -> new ArrayList<>());
      }
      list.addAll(some);
    }
    int more = found.size() - views.size();
    return new PairSection(
        leading.size() == found.size()
            ? NumberWords.count(found.size())
            : NumberWords.count(leading.size())
                + " of "
                + NumberWords.count(found.size())
                + " candidates",
        "Pairs of entries, of one topic or of two, that are closer to each other than either is to"
            + " what is around it. Some say the same twice, in some the newer entry has overtaken"
            + " the older one, some only belong together, and many are not worth an act; the first"
            + " are the likeliest."
            + " Words that only one of the two says are marked, unless that were most of its text."
            + " Pairs that an entry links already are left out."
            + (leading.isEmpty() ? " None is likely enough to lead." : ""),
        first,
        rest.entrySet().stream()
            .map(fold -> new Fold(fold.getKey().words(fold.getValue().size()), fold.getValue()))
            .toList(),
        Optional.of(more)
            .filter(left -> left > 0)
            .map(left -> "report.json has " + NumberWords.count(left) + " more, ranked lower."),
        "There are no two entries to compare.");
  }

  private static Optional<String> groupWords(
      Finding.Relation relation, List<List<NamedEntry>> groups) {
    return groups.stream()
        .filter(group -> group.contains(relation.a()) && group.contains(relation.b()))
        .findFirst()
        .map(
            group ->
                NumberWords.count(group.size())
                    + " entries may say the same: "
                    + String.join(", ", group.stream().limit(NAMED).map(EntryView::name).toList())
                    + (group.size() > NAMED
                        ? " and " + NumberWords.count(group.size() - NAMED) + " more"
                        : ""));
  }

  /** What does not lead, by what was said of it; the first are worth the most. */
  private enum Rest {
    WORTH("more that may be worth an act"),
    RELATED("related"),
    UNREAD("not read"),
    DIFFERENT("probably not worth an act");

    private final String words;

    Rest(String words) {
      this.words = words;
    }

    static Rest of(PairView view) {
      String kind = view.verdictKind().orElse("");
      return switch (kind) {
        case "" -> UNREAD;
        case "same", "overtaken" -> WORTH;
        case "related" -> RELATED;
        default -> DIFFERENT;
      };
    }

    String words(int pairs) {
      return NumberWords.count(pairs, "candidate", "candidates") + ", " + words;
    }
  }

  boolean isEmpty() {
    return first.isEmpty() && folds.isEmpty();
  }
}
