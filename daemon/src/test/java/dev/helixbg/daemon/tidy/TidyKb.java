package dev.helixbg.daemon.tidy;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.kb.WrittenReport;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.insight.acts.PresentEntries;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.findings.NearestPair;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.log.DataLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jline.utils.AttributedString;

final class TidyKb {
  static final String MODEL = "m";

  final Kb kb;
  final KbStore store;
  final FileHelix helix;
  final ActRun acts;

  final NotesKb notes;

  private final List<Finding.Relation> relations = new ArrayList<>();
  private final List<Finding.Copies> copies = new ArrayList<>();
  private final List<Judgements.Merge> merges = new ArrayList<>();

  TidyKb(Path folder) throws IOException {
    kb = new Kb(Files.createDirectories(folder.resolve("kb")));
    Settings settings = DaemonFixture.settings(folder.resolve("home"), Map.of());
    store = new KbStores(settings, notice -> {}).of(kb);
    helix = new FileHelix(kb.dataLog());
    acts = new ActRun(store, settings, MODEL);
    notes = null;
  }

  TidyKb(Path folder, Path files) throws IOException {
    Settings settings = DaemonFixture.settings(folder.resolve("home"), Map.of());
    notes = NotesKb.at(files, settings);
    notes.refresh();
    kb = notes.kb();
    store = new KbStores(settings, notice -> {}).of(kb);
    helix = new FileHelix(kb.dataLog());
    acts = new ActRun(store, settings, MODEL);
  }

  String beginning(String text) {
    return live().stream()
        .filter(one -> one.entry().text().content().strip().startsWith(text))
        .findFirst()
        .orElseThrow()
        .name();
  }

  TidyList list() throws IOException, InterruptedException {
    return list(acts);
  }

  static TidyList list(ActRun acts) throws IOException, InterruptedException {
    TidyList list = new TidyList(acts);
    list.look();
    return list;
  }

  static String press(TidySession session, String... keys) throws Exception {
    for (String key : keys) {
      session.key(key);
    }
    return session.screen(110, 40).stream()
        .map(AttributedString::toString)
        .collect(Collectors.joining("\n"));
  }

  /** Returns a helix that carries out this many edits, and refuses all later edits. */
  Helix refusingAfter(int edits) {
    return new FileHelix(kb.dataLog()) {
      private int left = edits;

      @Override
      public String call(String tool, Map<String, String> arguments) {
        if (!tool.equals("topics") && left-- <= 0) {
          throw new Refusal("the disk is full", true);
        }
        return super.call(tool, arguments);
      }
    };
  }

  TidyKb note(String topic, String text) {
    call("store", "topic", topic, "text", text);
    return this;
  }

  void call(String tool, String... namesAndValues) {
    helix.call(tool, namesAndValues);
  }

  List<NamedEntry> live() {
    return new PresentEntries(DataLog.read(kb.dataLog()), MODEL).all();
  }

  List<String> texts(String topic) {
    return live().stream()
        .filter(one -> one.entry().topic().equals(topic))
        .map(one -> one.entry().text().content())
        .toList();
  }

  NamedEntry named(String name) {
    return live().stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
  }

  String pair(String a, String b) {
    String id = "rel-%010x".formatted(relations.size() + 1);
    relations.add(
        new Finding.Relation(id, named(a), named(b), .9, .9, NearestPair.nearness(1, 1, "lease")));
    return id;
  }

  String copies(String... names) {
    String id = "copies-%010x".formatted(copies.size() + 1);
    copies.add(new Finding.Copies(id, List.of(names).stream().map(this::named).toList()));
    return id;
  }

  String merge(String text, String... names) {
    String id = "merge-%010x".formatted(merges.size() + 1);
    merges.add(new Judgements.Merge(id, List.of(names).stream().map(this::named).toList(), text));
    return id;
  }

  TidyKb report() {
    Findings findings = new Findings(live(), List.of(), copies, List.of(), relations);
    WrittenReport.write(store, MODEL, findings, merges);
    return this;
  }
}
