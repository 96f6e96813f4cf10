package dev.helixbg.insight.report.graph;

import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Topics as nodes and what was found between them as edges; what is drawn, before it has a place.
 *
 * @param topics the drawn ones, by name
 * @param edges between positions in {@code topics}, weakest first, so that strong ones are on top
 * @param topicsLeftOut topics that are not drawn
 * @param edgesLeftOut edges that are not drawn, those of left out topics included
 */
public record TopicGraph(
    List<Findings.Topic> topics, List<Edge> edges, int topicsLeftOut, int edgesLeftOut) {
  private static final int MAX_TOPICS = 60;
  private static final int MAX_EDGES = 120;

  /**
   * What was found between two topics.
   *
   * @param a position of the first topic, lower than {@code b}
   * @param overlap cosine of the centroids; 0 when they do not overlap
   * @param links reported pairs with one entry in each
   * @param closest similarity of the closest of these; 0 without links
   */
  public record Edge(int a, int b, double overlap, int links, double closest) {

    public boolean overlaps() {
      return overlap > 0;
    }

    private double strength() {
      return overlap + closest + Math.min(links, 10) * 0.1;
    }

    private Edge withOverlap(double similarity) {
      return new Edge(a, b, similarity, links, closest);
    }

    private Edge withLink(double similarity) {
      return new Edge(a, b, overlap, links + 1, Math.max(closest, similarity));
    }

    private Edge between(int newA, int newB) {
      return new Edge(newA, newB, overlap, links, closest);
    }
  }

  public static TopicGraph of(Findings findings) {
    List<Findings.Topic> all = findings.topics();
    List<Edge> edges = edges(findings);
    List<Integer> drawn = mostTelling(all, edges);
    Map<Integer, Integer> place = new HashMap<>();
    for (int topic : drawn) {
      place.put(topic, place.size());
    }
    List<Edge> kept =
        edges.stream()
            .filter(edge -> place.containsKey(edge.a()) && place.containsKey(edge.b()))
            .map(edge -> edge.between(place.get(edge.a()), place.get(edge.b())))
            .limit(MAX_EDGES)
            .toList();
    return new TopicGraph(
        drawn.stream().map(all::get).toList(),
        kept.reversed(),
        all.size() - drawn.size(),
        edges.size() - kept.size());
  }

  /** Sets of connected topics, each in rising order, the largest first; single topics last. */
  public List<List<Integer>> components() {
    List<List<Integer>> components = new ArrayList<>();
    Set<Integer> seen = new HashSet<>();
    List<List<Integer>> neighbours = neighbours();
    for (int start = 0; start < topics.size(); start++) {
      if (seen.add(start)) {
        List<Integer> component = new ArrayList<>(List.of(start));
        for (int at = 0; at < component.size(); at++) {
          neighbours.get(component.get(at)).stream().filter(seen::add).forEach(component::add);
        }
        component.sort(null);
        components.add(component);
      }
    }
    components.sort(Comparator.comparingInt((List<Integer> c) -> c.size()).reversed());
    return components;
  }

  List<List<Integer>> neighbours() {
    List<List<Integer>> neighbours = new ArrayList<>();
    topics.forEach(topic -> neighbours.add(new ArrayList<>()));
    for (Edge edge : edges) {
      neighbours.get(edge.a()).add(edge.b());
      neighbours.get(edge.b()).add(edge.a());
    }
    return neighbours;
  }

  /** Strongest first. */
  private static List<Edge> edges(Findings findings) {
    Map<String, Integer> index = new HashMap<>();
    for (Findings.Topic topic : findings.topics()) {
      index.put(topic.name(), index.size());
    }
    Map<Long, Edge> edges = new HashMap<>();
    for (Finding.TopicOverlap found : findings.topicOverlaps()) {
      Edge edge = edge(edges, index.get(found.a()), index.get(found.b()));
      put(edges, edge.withOverlap(found.similarity()));
    }
    for (Finding.Relation pair : findings.relations()) {
      int a = index.get(pair.a().entry().topic());
      int b = index.get(pair.b().entry().topic());
      if (a != b && pair.similarity() >= findings.limits().crossLinkFrom()) {
        put(edges, edge(edges, a, b).withLink(pair.similarity()));
      }
    }
    return edges.values().stream()
        .sorted(
            Comparator.comparingDouble(Edge::strength)
                .reversed()
                .thenComparingInt(Edge::a)
                .thenComparingInt(Edge::b))
        .toList();
  }

  private static Edge edge(Map<Long, Edge> edges, int one, int other) {
    int a = Math.min(one, other);
    int b = Math.max(one, other);
    return edges.getOrDefault(key(a, b), new Edge(a, b, 0, 0, 0));
  }

  private static void put(Map<Long, Edge> edges, Edge edge) {
    edges.put(key(edge.a(), edge.b()), edge);
  }

  private static long key(int a, int b) {
    return ((long) a << 32) | b;
  }

  /** The best connected topics, then the largest; in rising order. */
  private static List<Integer> mostTelling(List<Findings.Topic> topics, List<Edge> edges) {
    double[] strength = new double[topics.size()];
    for (Edge edge : edges) {
      strength[edge.a()] += edge.strength();
      strength[edge.b()] += edge.strength();
    }
    return IntStream.range(0, topics.size())
        .boxed()
        .sorted(
            Comparator.comparingDouble((Integer i) -> strength[i])
                .thenComparingInt(i -> topics.get(i).entries())
                .reversed()
                .thenComparingInt(i -> i))
        .limit(MAX_TOPICS)
        .sorted()
        .toList();
  }
}
