package dev.helixbg.insight.judge;

import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.InMemory;
import dev.helixbg.embed.store.TestDatabase;
import dev.helixbg.insight.pairs.ReadingStore;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Gives each test a database for answers of a language model and readings of pair judges. */
public abstract class StoreFixture {
  @TempDir(factory = InMemory.class)
  Path store;

  @AutoClose protected Database database;
  protected boolean cancelled;

  @BeforeEach
  void open() {
    database = TestDatabase.in(store, AnswerStore.TABLE, ReadingStore.TABLE);
  }

  /** Returns a session with this model, whose clock stands still. */
  protected final QuestionSession asking(QuestionAnswerer model, Duration time) {
    return new QuestionSession(
        new AnswerStore(database),
        "model",
        () -> model,
        time,
        () -> 0,
        JudgeProgress.SILENT,
        () -> cancelled);
  }
}
