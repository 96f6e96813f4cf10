package dev.helixbg.daemon.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.FakeEmbedder;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.search.SearchIndex;
import dev.helixbg.insight.terms.TermVectors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests simultaneous searches, with a model that a test can delay. */
@Timeout(120)
class SearchServiceTest {
  @TempDir Path folder;

  /** Gates by text; a text is embedded only after the test has opened its gate. */
  private final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();

  /** Number of times that an embedding waited at a gate. */
  private final AtomicInteger waiting = new AtomicInteger();

  private final DaemonMetrics metrics = new DaemonMetrics();
  private final GatedModel model = new GatedModel();

  @AutoClose
  private final SearchService searches = new SearchService(model, of -> stores().of(of), metrics);

  private KbStores stores;

  private synchronized KbStores stores() {
    if (stores == null) {
      stores = new KbStores(DaemonFixture.settings(folder, Map.of()), notice -> {});
    }
    return stores;
  }

  private final class GatedModel extends FakeModel {
    @Override
    public void beforeEmbedding(List<String> texts) throws InterruptedException {
      for (String text : texts) {
        CountDownLatch gate = gates.get(text);
        if (gate != null) {
          waiting.incrementAndGet();
          gate.await();
        }
      }
    }
  }

  private WritableKb kb(String name, int entries) throws Exception {
    WritableKb kb = new WritableKb(folder.resolve(name), new Random(name.hashCode()), entries);
    embed(kb);
    return kb;
  }

  private void embed(WritableKb kb) throws InterruptedException {
    new DaemonFixture(folder, kb.kb()).run(Duration.ofSeconds(10));
  }

  private Future<List<SearchIndex.Hit>> ask(WritableKb kb, String text, int limit) {
    FutureTask<List<SearchIndex.Hit>> asking =
        new FutureTask<>(() -> searches.search(kb.kb(), SearchRequest.best(text, limit)).hits());
    Thread.ofVirtual().start(asking);
    return asking;
  }

  private static <T> T get(Future<T> answer) throws Exception {
    return answer.get(60, TimeUnit.SECONDS);
  }

  @Test
  void whoeverSearchesInAnotherKbDoesNotWait() throws Exception {
    WritableKb one = kb("one", 5);
    WritableKb two = kb("two", 7);
    gates.put("slow", new CountDownLatch(1));
    Future<List<SearchIndex.Hit>> slow = ask(one, "slow", 10);
    assertEquals(7, get(ask(two, "anything", 10)).size());
    assertFalse(slow.isDone());
    gates.get("slow").countDown();
    assertEquals(5, get(slow).size());
  }

  /** The first search uses the small index for one query, later searches the full index. */
  @Test
  void theFirstSearchFindsWhatLaterOnesDo() throws Exception {
    WritableKb kb = kb("kb", 40);
    String text = DataLog.read(kb.log()).entries().getFirst().text().content();
    List<SearchIndex.Hit> first = get(ask(kb, text, 20));
    assertEquals(20, first.size());
    assertEquals(first, get(ask(kb, text, 20)));
    searches.forgetAll();
    searches.prepare(kb.kb());
    assertEquals(first, get(ask(kb, text, 20)));
    Thread.sleep(SearchWorker.PAUSE.plusMillis(200));
    assertEquals(first, get(ask(kb, text, 20)));
  }

  /** Another process may embed entries, without a message to the search. */
  @Test
  void whatIsEmbeddedMeanwhileIsFound() throws Exception {
    WritableKb kb = new WritableKb(folder.resolve("kb"), new Random(1), 5);
    assertEquals(0, get(ask(kb, "anything", 10)).size());
    assertEquals(0, get(ask(kb, "anything else", 10)).size());
    embed(kb);
    assertEquals(5, get(ask(kb, "anything", 10)).size());
  }

  /**
   * Compares with scores computed by their definition, best first; of equal hits, the first entry
   * comes first.
   */
  @Test
  void hitsAreThoseOfComparingOneByOne() throws Exception {
    WritableKb kb = kb("kb", 60);
    for (int i = 0; i < 30; i++) {
      kb.append("twins", "word for word the same");
    }
    embed(kb);
    List<Entry> entries = DataLog.read(kb.log()).entries();
    int count = entries.size();
    TermVectors terms =
        TermVectors.forQueries(Optional.empty(), count, i -> entries.get(i).embeddedText(), count);
    List<Future<List<SearchIndex.Hit>>> answers = new ArrayList<>();
    int[] limits = {1, 2, 10, 29, 64, 99, 100};
    for (int limit : limits) {
      answers.add(ask(kb, "twins word for word the same", limit));
      answers.add(ask(kb, "query " + limit, limit));
    }
    for (int i = 0; i < answers.size(); i++) {
      int limit = limits[i / 2];
      String text = i % 2 == 0 ? "twins word for word the same" : "query " + limit;
      float[] query = FakeEmbedder.vectorOf(text);
      double[] similarities =
          entries.stream()
              .mapToDouble(e -> dot(query, FakeEmbedder.vectorOf(e.embeddedText())))
              .toArray();
      double[] scores = similarities.clone();
      terms.products().share(text, (entry, said) -> scores[entry] += 0.3 * said);
      double[] falling = DoubleStream.of(scores).map(s -> -s).sorted().map(s -> -s).toArray();
      List<SearchIndex.Hit> hits = get(answers.get(i));
      assertEquals(Math.min(limit, count), hits.size());
      for (int h = 0; h < hits.size(); h++) {
        SearchIndex.Hit hit = hits.get(h);
        assertEquals(falling[h], hit.score(), 1e-5);
        boolean afterEqual = h > 0 && hits.get(h - 1).score() == hit.score();
        assertTrue(
            !afterEqual || hits.get(h - 1).entry().entry().offset() < hit.entry().entry().offset(),
            "order of equals");
        int meant =
            entries.stream().map(Entry::offset).toList().indexOf(hit.entry().entry().offset());
        assertEquals(similarities[meant], hit.similarity(), 1e-5);
        assertEquals(scores[meant], hit.score(), 1e-5);
      }
    }
    assertEquals(answers.size(), metrics.searches.sum());
  }

  @Test
  void aTopicIsSearchedPageByPage() throws Exception {
    WritableKb kb = kb("kb", 40);
    for (int i = 0; i < 7; i++) {
      kb.append("gold", "nugget " + i);
    }
    embed(kb);
    List<String> names = new ArrayList<>();
    for (int from : new int[] {0, 3, 6, 9}) {
      SearchRequest request = new SearchRequest("nugget", Optional.of("gold"), from, 3);
      List<SearchIndex.Hit> page = searches.search(kb.kb(), request).hits();
      assertEquals(Math.clamp(7 - from, 0, 3), page.size());
      page.forEach(hit -> names.add(hit.entry().name()));
    }
    SearchRequest all = new SearchRequest("nugget", Optional.of("gold"), 0, 100);
    assertEquals(
        searches.search(kb.kb(), all).hits().stream().map(hit -> hit.entry().name()).toList(),
        names);
    assertTrue(names.stream().allMatch(name -> name.startsWith("gold:")), names.toString());
    SearchRequest none = new SearchRequest("nugget", Optional.of("silver"), 0, 3);
    assertEquals(List.of(), searches.search(kb.kb(), none).hits());
  }

  /** Text after the first 256 tokens of an entry is found and shown. */
  @Test
  void theLateSentenceOfALongNoteIsFoundAndShown() throws Exception {
    WritableKb kb = kb("kb", 40);
    String late = "The keel of the ferry was painted green.";
    kb.append("long", "On trucks.\n" + "We talked of nothing at all, twice. ".repeat(60) + late);
    embed(kb);
    SearchIndex.Hit hit = searches.search(kb.kb(), SearchRequest.best(late, 1)).hits().getFirst();
    assertEquals("long:0", hit.entry().name());
    String matched = hit.passage().text(hit.entry().entry());
    assertTrue(matched.contains(late), matched);
    assertTrue(matched.length() < 400, matched);
    String content = DataLog.read(kb.log()).entries().getLast().text().content();
    assertEquals(matched, content.substring(hit.passage().start(), hit.passage().end()));
  }

  private static double dot(float[] a, float[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }

  @Test
  void theEndAnswersEverybody() throws Exception {
    WritableKb kb = kb("kb", 3);
    gates.put("slow", new CountDownLatch(1));
    List<Future<List<SearchIndex.Hit>>> waiting = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      waiting.add(ask(kb, "slow", 3));
    }
    Thread.sleep(100);
    searches.close();
    waiting.add(ask(kb, "late", 3));
    for (Future<List<SearchIndex.Hit>> answer : waiting) {
      Throwable why = assertThrows(ExecutionException.class, () -> get(answer)).getCause();
      assertTrue(why instanceof Failure failure && failure.code() == ExitCode.BUSY, why.toString());
    }
  }

  @Test
  void anErrorOfTheJvmIsToldToWhomItConcernsAndTheNextSearchIsAnswered() throws Exception {
    WritableKb kb = kb("kb", 3);
    for (Error error :
        List.of(
            new OutOfMemoryError("test"),
            new StackOverflowError("test"),
            new NoClassDefFoundError("test"))) {
      model.error = error;
      Throwable why = assertThrows(ExecutionException.class, () -> get(ask(kb, "x", 3))).getCause();
      assertSame(error, why);
      model.error = null;
      assertEquals(3, get(ask(kb, "x " + error, 3)).size());
    }
  }

  /** The same method embeds queries and entries. */
  @Test
  void aQueryIsEmbeddedAsTheEntriesWere() throws Exception {
    WritableKb kb = kb("kb", 3);
    FakeModel usual = new FakeModel("usual");
    usual.otherWay =
        Optional.of(new EmbedderSource.OtherWay(model.id(), true, few -> 2, () -> model.open()));
    usual.forQueries = Optional.of(model);
    try (SearchService service =
        new SearchService(usual, of -> stores().of(of), new DaemonMetrics())) {
      for (int i = 0; i < 3; i++) {
        assertEquals(3, service.search(kb.kb(), SearchRequest.best("lease " + i, 3)).hits().size());
      }
      assertEquals(0, usual.opened.get());
      assertEquals(3, model.opened.get());
    }
  }

  @Test
  void nobodySearchesForAClientThatHasLeft() throws Exception {
    WritableKb kb = kb("kb", 3);
    gates.put("first", new CountDownLatch(1));
    Future<List<SearchIndex.Hit>> first = ask(kb, "first", 3);
    while (waiting.get() == 0) {
      Thread.sleep(1);
    }
    Thread.currentThread().interrupt();
    assertThrows(
        InterruptedException.class,
        () -> searches.search(kb.kb(), SearchRequest.best("never asked", 3)));
    gates.get("first").countDown();
    get(first);
    assertEquals(3, get(ask(kb, "last", 3)).size());
    assertEquals(2, metrics.searches.sum());
  }

  @Test
  void aKbThatCannotBeReadIsAnErrorForItsClientsOnly() throws Exception {
    WritableKb kb = kb("kb", 3);
    WritableKb gone = new WritableKb(folder.resolve("gone"), new Random(1));
    Files.delete(gone.log());
    assertThrows(ExecutionException.class, () -> get(ask(gone, "x", 3)));
    assertEquals(3, get(ask(kb, "x", 3)).size());
    Files.copy(kb.log(), gone.log());
    assertEquals(0, get(ask(gone, "x", 3)).size(), "nothing is embedded yet");
  }
}
