package dev.helixbg.insight.acts;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.acts.Act.Change;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.notes.NoteName;
import java.util.List;
import java.util.Optional;

/** Writes the names of an act's entries and topics as JSON, without cutting long names. */
public final class ActNames {
  private ActNames() {}

  /**
   * Returns one object for each name. The fields for an entry of helix are {@code role}, {@code
   * topic} and {@code index}; for a note, they are {@code role}, {@code file}, {@code heading} and
   * {@code part}; for a topic, {@code role} and {@code topic}.
   */
  public static ArrayNode of(Act act) {
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    switch (act.change()) {
      case Change.Remove remove -> {
        entries(all, "remove", remove.gone());
        entries(all, "keep", List.of(remove.kept()));
      }
      case Change.Link link -> {
        entries(all, "from", List.of(link.from()));
        entries(all, "to", List.of(link.target()));
      }
      case Change.MergeTopics merge -> {
        name(all, "move", "topic", merge.small());
        name(all, "to", "topic", merge.large());
      }
      case Change.Rename rename -> {
        entries(all, "change", List.of(rename.entry()));
        name(all, "from", "text", rename.from());
        name(all, "to", "text", rename.to());
      }
      case Change.Reread reread -> entries(all, "read", List.of(reread.entry()));
      case Change.Gather gather -> {
        entries(all, "link", gather.entries());
        name(all, "to", "topic", gather.topic());
      }
      case Change.Rewrite rewrite -> {
        entries(all, "rewrite", List.of(rewrite.kept()));
        entries(all, "remove", rewrite.gone());
      }
    }
    return all;
  }

  private static void entries(ArrayNode all, String role, List<NamedEntry> entries) {
    for (NamedEntry entry : entries) {
      Optional<NoteName> note = NoteName.of(entry.entry());
      if (note.isEmpty()) {
        name(all, role, "topic", entry.topic()).put("index", entry.index());
        continue;
      }
      ObjectNode place = name(all, role, "file", note.get().file());
      if (!note.get().heading().isEmpty()) {
        place.put("heading", PrintableText.wellFormed(note.get().heading()));
      }
      if (!note.get().part().isEmpty()) {
        place.put("part", note.get().part());
      }
    }
  }

  private static ObjectNode name(ArrayNode all, String role, String field, String name) {
    return all.addObject().put("role", role).put(field, PrintableText.wellFormed(name));
  }
}
