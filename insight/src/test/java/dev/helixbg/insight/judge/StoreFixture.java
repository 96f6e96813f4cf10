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

/** Each test has a database for the answers and the readings of a model. */
public abstract class StoreFixture {
  @TempDir(factory = InMemory.class)
  Path store;

  @AutoClose protected Database database;
  protected boolean cancelled;

  @BeforeEach
  void open() {
    database = TestDatabase.in(store, AnswerStore.TABLE, ReadingStore.TABLE);
  }

  /** A session with this model, in which no time passes. */
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
