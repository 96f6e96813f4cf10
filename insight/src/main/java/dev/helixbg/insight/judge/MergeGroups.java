package dev.helixbg.insight.judge;

import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Groups of entries that say the same, joined from pairs with common entries. */
final class MergeGroups {
  private MergeGroups() {}

  /** Returns the groups in the order of their first pairs; each is ordered by offset. */
  static List<List<NamedEntry>> of(List<Finding.Relation> pairs) {
    Map<NamedEntry, List<NamedEntry>> groupOf = new LinkedHashMap<>();
    for (Finding.Relation pair : pairs) {
      List<NamedEntry> a = groupOf.computeIfAbsent(pair.a(), MergeGroups::alone);
      List<NamedEntry> b = groupOf.computeIfAbsent(pair.b(), MergeGroups::alone);
      if (a != b) {
        a.addAll(b);
        b.forEach(entry -> groupOf.put(entry, a));
      }
    }
    List<List<NamedEntry>> groups = groupOf.values().stream().distinct().toList();
    groups.forEach(group -> group.sort(Comparator.comparingLong(entry -> entry.entry().offset())));
    return groups;
  }

  private static List<NamedEntry> alone(NamedEntry entry) {
    return new ArrayList<>(List.of(entry));
  }
}
