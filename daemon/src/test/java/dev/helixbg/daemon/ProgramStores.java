package dev.helixbg.daemon;

import dev.helixbg.config.Settings;
import dev.helixbg.config.SettingsLoader;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.UserDirectories;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.embed.cache.VectorStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Reads the stores of a program that has its own home, even while the program runs. */
record ProgramStores(Settings settings) {

  /**
   * @param cache cache folder of the program
   */
  static ProgramStores of(Path home, Path cache) {
    UserDirectories locations =
        new UserDirectories(home, cache, home.resolve(".local/state/helix-bg"));
    return new ProgramStores(
        new SettingsLoader(locations, Map.of()).load(Optional.empty(), Map.of()).settings());
  }

  <T> T with(Path kb, Function<KbStore, T> work) {
    try (KbStores stores = new KbStores(settings, notice -> {})) {
      return work.apply(stores.of(new Kb(kb)));
    }
  }

  int vectors(Path kb) {
    return with(kb, store -> VectorStore.ofEntries(store.database()).read().byKey().size());
  }

  /** Returns all answers of language models, one line each: job, prompt, model, key, answer. */
  static List<String> answers(KbStore store) {
    return store
        .database()
        .read(
            connection -> {
              List<String> lines = new ArrayList<>();
              try (PreparedStatement select =
                      connection.prepareStatement(
                          "SELECT concat_ws(' ', job, prompt, model, key, answer)"
                              + " FROM answer ORDER BY number");
                  ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                  lines.add(rows.getString(1));
                }
              }
              return lines;
            });
  }

  List<String> answers(Path kb) {
    return with(kb, ProgramStores::answers);
  }

  /** Returns the folder of a KB's store in a state folder. */
  static Path folder(Path state, Path kb) throws IOException {
    String place = kb.toRealPath().toString();
    return state.resolve("kb").resolve(Sha256.of(List.of(place)).substring(0, 16));
  }

  /** Copies a KB's store, so that it becomes the store of another KB in another state folder. */
  static void copy(Path state, Path kb, Path toState, Path toKb) throws IOException {
    Path from = folder(state, kb);
    Path to = folder(toState, toKb);
    Torture.delete(to);
    Files.createDirectories(to.getParent());
    TortureFiles.copy(from, to);
    Path place = to.resolve("place.json");
    Files.writeString(
        place,
        Files.readString(place)
            .replace("\"" + kb.toRealPath() + "\"", "\"" + toKb.toRealPath() + "\""));
  }
}
