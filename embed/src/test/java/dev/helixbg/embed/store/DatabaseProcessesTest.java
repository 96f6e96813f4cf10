package dev.helixbg.embed.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.ForkedJvm;
import dev.helixbg.config.files.OnDisk;
import dev.helixbg.embed.store.Database.Durability;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests several processes that share one database, and processes that are killed. */
@Timeout(240)
class DatabaseProcessesTest {
  private static final int PROCESSES = 3;
  private static final int DATABASES = 3;
  private static final int WORDS = 20;

  @TempDir(factory = InMemory.class)
  Path folder;

  private Database open() {
    return open(folder);
  }

  private static Database open(Path folder) {
    return TestDatabase.in(
        folder,
        DatabaseTest.SCHEMA,
        warning -> {
          throw new AssertionError(warning);
        });
  }

  private Process start(String umask, Class<?> program, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(List.of("sh", "-c", "umask " + umask + "; exec \"$@\"", "sh"));
    command.addAll(ForkedJvm.command(List.of("-Xshare:auto"), program, folder.toString()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static BufferedReader output(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  @Test
  void processesAndThreadsMakeOneDatabaseAndLoseNothing() throws Exception {
    List<Process> started = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      started.add(start("022", Adding.class, "p" + i));
    }
    for (Process process : started) {
      output(process).readLine(); // the process is about to open the database
    }
    for (Process process : started) {
      process.getOutputStream().close();
    }
    for (Process process : started) {
      assertEquals(0, process.waitFor());
    }
    try (Database database = open()) {
      List<String> said = DatabaseTest.said(database);
      assertEquals("first", said.getFirst());
      assertEquals(1 + PROCESSES * DATABASES * WORDS, said.size());
      assertEquals(said.size(), new TreeSet<>(said).size());
      assertEquals(Optional.empty(), database.fault());
    }
  }

  /** Each thread opens the database separately, as if the thread were another process. */
  static final class Adding {
    public static void main(String[] arguments) throws Exception {
      TestDatabase.prepare();
      System.out.println("ready");
      System.in.read();
      List<Future<?>> all = new ArrayList<>();
      try (ExecutorService threads = Executors.newFixedThreadPool(DATABASES)) {
        for (int i = 0; i < DATABASES; i++) {
          String name = arguments[1] + " t" + i + " w";
          all.add(threads.submit(() -> add(Path.of(arguments[0]), name)));
        }
      }
      for (Future<?> one : all) {
        one.get();
      }
    }

    private static void add(Path folder, String name) {
      try (Database database = open(folder)) {
        for (int i = 0; i < WORDS; i++) {
          DatabaseTest.say(database, name + i);
        }
      }
    }
  }

  @Test
  void filesAreForTheirUserAloneWhateverTheUmask() throws Exception {
    for (String umask : List.of("000", "022", "077")) {
      Process process = start(umask, AddingForever.class);
      try {
        output(process).readLine();
        for (String end : List.of("", "-wal", "-shm", ".lock")) {
          Path file = folder.resolve(TestDatabase.NAME + end);
          assertEquals("rw-------", OnDisk.mode(file), umask + " " + file);
        }
      } finally {
        process.destroyForcibly().waitFor();
      }
      try (var files = Files.list(folder)) {
        for (Path each : files.toList()) {
          Files.delete(each);
        }
      }
    }
  }

  /**
   * Each change whose call returned before the process was killed is in the database, and nothing
   * is damaged.
   */
  @Test
  void killedProcessesLoseNothingThatWasWritten() throws Exception {
    Random random = new Random(7);
    int before = 0;
    for (int kill = 0; kill < 4; kill++) {
      Process process = start("022", AddingForever.class);
      int written = 0;
      try (BufferedReader words = output(process)) {
        words.readLine(); // the process has begun to write
        Thread.sleep(random.nextInt(60));
        process.toHandle().destroyForcibly(); // what it printed can still be read
        for (String word; (word = words.readLine()) != null && word.endsWith("."); ) {
          written = Integer.parseInt(word.substring(0, word.length() - 1));
        }
      } finally {
        process.destroyForcibly().waitFor();
      }
      try (Database database = open()) {
        List<String> said = DatabaseTest.said(database);
        assertTrue(said.size() >= written, said.size() + " of " + written);
        assertTrue(said.size() > before);
        before = said.size();
        for (int i = 1; i < said.size(); i++) {
          assertEquals("word" + i, said.get(i));
        }
        assertEquals(Optional.empty(), database.fault());
      }
    }
  }

  static final class AddingForever {
    public static void main(String[] arguments) {
      Database database = open(Path.of(arguments[0]));
      int count = DatabaseTest.said(database).size();
      while (true) {
        String word = "word" + count;
        database.write(
            Durability.FOREVER,
            connection -> {
              Sql.execute(connection, "INSERT INTO said (word) VALUES ('" + word + "')");
              return null;
            });
        count++;
        System.out.println(count + ".");
      }
    }
  }

  /**
   * The library cannot be loaded if both the cache folder and the temp folder are mounted with the
   * option noexec.
   */
  @Test
  void aDatabaseStaysWhereSqlitesLibraryCannotBeLoaded() throws Exception {
    try (Database database = open()) {
      DatabaseTest.say(database, "one");
    }
    Path cache = Files.createDirectory(folder.resolve("cache"));
    Path natives = Path.of("target", "test-natives");
    try (var all = Files.walk(natives)) {
      for (Path each : all.filter(path -> !path.equals(natives)).toList()) {
        Path copy = cache.resolve(natives.relativize(each).toString());
        if (Files.isDirectory(each)) {
          Files.createDirectory(copy);
        } else {
          Files.write(
              copy, new byte[(int) Files.size(each)]); // not a library, but a file of the same size
        }
      }
    }
    byte[] before = Files.readAllBytes(folder.resolve(TestDatabase.NAME));
    Process process = start("022", Reading.class, cache.toString());
    try (BufferedReader answers = output(process)) {
      for (int i = 0; i < 2; i++) {
        String said = answers.readLine();
        assertTrue(said.startsWith("SQLite's library cannot be loaded from " + cache), said);
        assertTrue(said.endsWith("must not be mounted with the option noexec"), said);
      }
    }
    assertEquals(0, process.waitFor());
    assertArrayEquals(before, Files.readAllBytes(folder.resolve(TestDatabase.NAME)));
    assertFalse(Files.exists(folder.resolve(TestDatabase.NAME + ".damaged")));
  }

  static final class Reading {
    public static void main(String[] arguments) {
      System.setProperty("org.sqlite.tmpdir", arguments[1] + "/missing");
      for (int i = 0; i < 2; i++) {
        try {
          Database.prepare(Path.of(arguments[1]));
          Path file = Path.of(arguments[0], TestDatabase.NAME);
          try (Database database = new Database(file, DatabaseTest.SCHEMA, System.err::println)) {
            System.out.println(DatabaseTest.said(database));
          }
        } catch (IOException | StoreException e) {
          System.out.println(e.getMessage());
        }
      }
    }
  }
}
