package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.report.graph.GraphLayout;
import dev.helixbg.insight.report.graph.TopicGraph;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GraphLayoutTest {
  private static final double LABEL = 120;

  static Stream<TopicGraph> graphs() {
    return Stream.of(
            one(),
            two(),
            KbFixtures.small(),
            KbFixtures.realistic(),
            KbFixtures.manyTopics(),
            dense(60))
        .map(kb -> TopicGraph.of(kb.report().findings()));
  }

  @ParameterizedTest
  @MethodSource("graphs")
  void noNodeOrLabelCoversAnother(TopicGraph graph) {
    GraphLayout layout = layout(graph);
    for (int i = 0; i < graph.topics().size(); i++) {
      for (int j = 0; j < i; j++) {
        double aside = Math.abs(layout.x()[i] - layout.x()[j]);
        boolean higher = layout.y()[i] < layout.y()[j];
        int upper = higher ? i : j;
        int lower = higher ? j : i;
        double gap =
            layout.y()[lower]
                - layout.radius()[lower]
                - (layout.y()[upper] + layout.radius()[upper] + GraphLayout.LABEL_DROP);
        assertTrue(aside >= LABEL || gap >= 0, "%d and %d: %f, %f".formatted(i, j, aside, gap));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("graphs")
  void everythingIsOnThePage(TopicGraph graph) {
    GraphLayout layout = layout(graph);
    for (int i = 0; i < graph.topics().size(); i++) {
      double half = Math.max(LABEL / 2, layout.radius()[i]);
      assertTrue(layout.x()[i] - half >= 0 && layout.x()[i] + half <= layout.width());
      assertTrue(layout.y()[i] - layout.radius()[i] >= 0);
      assertTrue(layout.y()[i] + layout.radius()[i] + GraphLayout.LABEL_DROP <= layout.height());
    }
    assertTrue(layout.width() <= 1.5 * GraphLayout.WIDTH, "" + layout.width());
  }

  @ParameterizedTest
  @MethodSource("graphs")
  void theSameGraphLandsOnTheSameSpots(TopicGraph graph) {
    GraphLayout first = layout(graph);
    GraphLayout second = layout(graph);
    assertArrayEquals(first.x(), second.x());
    assertArrayEquals(first.y(), second.y());
  }

  @Test
  void ofManyTopicsTheMostTellingAreDrawn() {
    KbFixture kb = dense(200);
    Findings findings = kb.report().findings();
    TopicGraph graph = TopicGraph.of(findings);
    assertEquals(60, graph.topics().size());
    assertEquals(140, graph.topicsLeftOut());
    assertEquals(findings.topicOverlaps().size(), graph.edges().size() + graph.edgesLeftOut());
    GraphView view = GraphView.of(findings);
    assertTrue(view.note().orElseThrow().startsWith("Not drawn: 140 topics"));
  }

  @Test
  void ofManyEdgesTheStrongestAreDrawn() {
    Findings findings = dense(60).report().findings();
    TopicGraph graph = TopicGraph.of(findings);
    assertEquals(120, graph.edges().size());
    double weakest = graph.edges().stream().mapToDouble(TopicGraph.Edge::overlap).min().orElse(0);
    long stronger = findings.topicOverlaps().stream().filter(o -> o.similarity() > weakest).count();
    assertTrue(stronger <= 120, stronger + " are stronger than " + weakest);
  }

  @Test
  void edgesCarryOverlapAndLinks() {
    TopicGraph graph = TopicGraph.of(KbFixtures.small().report().findings());
    assertEquals(1, graph.edges().size());
    TopicGraph.Edge edge = graph.edges().getFirst();
    assertEquals(new TopicGraph.Edge(0, 1, 0.7113, 2, 0.8123456), edge);
    assertEquals("auth", graph.topics().get(edge.a()).name());
    assertEquals(2, graph.components().size());
  }

  private static GraphLayout layout(TopicGraph graph) {
    double[] labels = new double[graph.topics().size()];
    Arrays.fill(labels, LABEL);
    return GraphLayout.of(graph, labels);
  }

  private static KbFixture one() {
    KbFixture kb = new KbFixture();
    kb.entry("alpha", 0, "One.");
    return kb;
  }

  private static KbFixture two() {
    KbFixture kb = one();
    kb.entry("beta", 0, "Two.");
    return kb.overlap("alpha", "beta", 0.7);
  }

  /** Every topic overlaps with each of the seven before it. */
  private static KbFixture dense(int topics) {
    KbFixture kb = new KbFixture();
    for (int i = 0; i < topics; i++) {
      kb.entry("topic-" + i, 0, "Text.");
      for (int j = Math.max(0, i - 7); j < i; j++) {
        kb.overlap("topic-" + j, "topic-" + i, 0.61 + (i * 31 + j) % 30 * 0.01);
      }
    }
    return kb;
  }
}
