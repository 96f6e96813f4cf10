package dev.helixbg.insight.report;

import dev.helixbg.config.text.TextColumns;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.report.graph.GraphLayout;
import dev.helixbg.insight.report.graph.TopicGraph;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The graph of topics as SVG numbers and words.
 *
 * @param description what the picture shows, for those who cannot see it
 * @param note what is not drawn
 */
record GraphView(
    String width,
    String height,
    List<Stroke> bands,
    List<Stroke> lines,
    List<Node> nodes,
    String description,
    Optional<String> note) {
  private static final int LABEL_COLUMNS = 24;

  /** Mean width of a character of the labels, in pixels. */
  private static final double COLUMN_WIDTH = 7.1;

  /** A line between two topics: broad where they overlap, thin where entries are linked. */
  record Stroke(String x1, String y1, String x2, String y2, String strokeWidth, String title) {}

  /** A topic: a circle, the number of its entries in it, its name below. */
  record Node(
      String x,
      String y,
      String radius,
      String numberY,
      String number,
      String labelY,
      String label,
      String title) {}

  static GraphView of(Findings findings) {
    TopicGraph graph = TopicGraph.of(findings);
    int n = graph.topics().size();
    String[] labels = new String[n];
    double[] widths = new double[n];
    for (int i = 0; i < n; i++) {
      labels[i] = TopicView.label(graph.topics().get(i).name(), LABEL_COLUMNS);
      widths[i] = COLUMN_WIDTH * TextColumns.of(labels[i]);
    }
    GraphLayout layout = GraphLayout.of(graph, widths);
    List<Stroke> bands = new ArrayList<>();
    List<Stroke> lines = new ArrayList<>();
    for (TopicGraph.Edge edge : graph.edges()) {
      addStrokes(graph, edge, layout, bands, lines);
    }
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      nodes.add(node(graph.topics().get(i), labels[i], layout, i));
    }
    return new GraphView(
        NumberWords.px(layout.width()),
        NumberWords.px(layout.height()),
        bands,
        lines,
        nodes,
        description(graph, bands.size(), lines.size()),
        note(graph));
  }

  private static void addStrokes(
      TopicGraph graph,
      TopicGraph.Edge edge,
      GraphLayout layout,
      List<Stroke> bands,
      List<Stroke> lines) {
    String names =
        TopicView.label(graph.topics().get(edge.a()).name())
            + " and "
            + TopicView.label(graph.topics().get(edge.b()).name());
    if (edge.overlaps()) {
      double width = 9 + 22 * Math.clamp(edge.overlap() - 0.6, 0, 0.4);
      String title = names + " overlap: " + NumberWords.similarity(edge.overlap());
      bands.add(stroke(edge, layout, width, title));
    }
    if (edge.links() > 0) {
      String title =
          names
              + ": "
              + NumberWords.count(edge.links(), "linked pair", "linked pairs")
              + ", the closest at "
              + NumberWords.similarity(edge.closest());
      lines.add(stroke(edge, layout, Math.min(5, 1 + 0.6 * edge.links()), title));
    }
  }

  private static Stroke stroke(
      TopicGraph.Edge edge, GraphLayout layout, double width, String title) {
    return new Stroke(
        NumberWords.px(layout.x()[edge.a()]),
        NumberWords.px(layout.y()[edge.a()]),
        NumberWords.px(layout.x()[edge.b()]),
        NumberWords.px(layout.y()[edge.b()]),
        NumberWords.px(width),
        title);
  }

  private static Node node(Findings.Topic topic, String label, GraphLayout layout, int i) {
    double y = layout.y()[i];
    double radius = layout.radius()[i];
    return new Node(
        NumberWords.px(layout.x()[i]),
        NumberWords.px(y),
        NumberWords.px(radius),
        NumberWords.px(y + 4),
        NumberWords.count(topic.entries()),
        NumberWords.px(y + radius + GraphLayout.LABEL_DROP),
        label,
        TopicView.label(topic.name())
            + ": "
            + NumberWords.count(topic.entries(), "entry", "entries")
            + ", cohesion "
            + NumberWords.similarity(topic.cohesion()));
  }

  private static String description(TopicGraph graph, int overlapping, int linked) {
    return NumberWords.count(graph.topics().size(), "topic", "topics")
        + "; "
        + NumberWords.count(overlapping, "pair of topics overlaps", "pairs of topics overlap")
        + ", and entries of "
        + NumberWords.count(linked, "pair of topics", "pairs of topics")
        + " are linked. The tables and lists below say the same in words.";
  }

  private static Optional<String> note(TopicGraph graph) {
    if (graph.topicsLeftOut() == 0 && graph.edgesLeftOut() == 0) {
      return Optional.empty();
    }
    return Optional.of(
        "Not drawn: "
            + NumberWords.count(graph.topicsLeftOut(), "topic", "topics")
            + " with fewer links or entries, and "
            + NumberWords.count(graph.edgesLeftOut(), "weaker connection", "weaker connections"));
  }
}
