package dev.helixbg.insight.report.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Places the nodes of a {@link TopicGraph} on a page: the same graph always lands on the same
 * spots.
 *
 * <p>Connected topics are placed by stress majorisation (Gansner, Koren, North 2004): the distance
 * on the page approaches the number of edges between two topics. Then nodes whose labels overlap
 * are pushed apart, and topics without edges follow in rows below.
 *
 * @param x centre of each node, in pixels from the left
 * @param y centre of each node, in pixels from the top
 * @param radius of each node
 */
public record GraphLayout(double[] x, double[] y, double[] radius, double width, double height) {
  public static final double WIDTH = 960;

  /** From the edge of a node to the baseline of its label. */
  public static final double LABEL_DROP = 15;

  private static final double LABEL_HEIGHT = 22;
  private static final double MARGIN = 12;
  private static final double EDGE_LENGTH = 135;

  /** Page area per area of the boxes of connected topics, and its width per height. */
  private static final double SPARSENESS = 3.6;

  private static final double ASPECT = 2.2;

  private static final int STRESS_ROUNDS = 100;

  /** Pixels of the largest move in a round that changes nothing for the eye. */
  private static final double SETTLED = 1;

  private static final int SEPARATION_ROUNDS = 400;

  /**
   * @param labelWidths of each topic's label, in pixels
   */
  public static GraphLayout of(TopicGraph graph, double[] labelWidths) {
    int n = graph.topics().size();
    double[] radius =
        graph.topics().stream()
            .mapToDouble(topic -> Math.min(30, 9 + 2.4 * Math.sqrt(topic.entries())))
            .toArray();
    Page page = new Page(new double[n], new double[n], radius, labelWidths);
    List<List<Integer>> neighbours = graph.neighbours();
    List<int[]> connected = new ArrayList<>();
    List<int[]> single = new ArrayList<>();
    for (List<Integer> component : graph.components()) {
      int[] nodes = component.stream().mapToInt(Integer::intValue).toArray();
      if (nodes.length > 1) {
        page.spread(nodes, hops(nodes, neighbours));
        connected.add(nodes);
      } else {
        single.add(nodes);
      }
    }
    double width = Math.max(WIDTH, page.widest(connected) + 2 * MARGIN);
    double end = page.inRows(connected, MARGIN, width, 28);
    end = page.inRows(single, connected.isEmpty() ? MARGIN : end + 18, width, 14);
    return new GraphLayout(page.x, page.y, radius, page.crop(n), end + MARGIN);
  }

  /** Number of edges on the shortest way between each two of the nodes, by position in them. */
  private static int[][] hops(int[] nodes, List<List<Integer>> neighbours) {
    int n = nodes.length;
    int[][] hops = new int[n][n];
    for (int from = 0; from < n; from++) {
      Arrays.fill(hops[from], -1);
      hops[from][from] = 0;
      int[] queue = new int[n];
      queue[0] = from;
      int end = 1;
      for (int at = 0; at < end; at++) {
        for (int neighbour : neighbours.get(nodes[queue[at]])) {
          int to = Arrays.binarySearch(nodes, neighbour);
          if (hops[from][to] < 0) {
            hops[from][to] = hops[from][queue[at]] + 1;
            queue[end++] = to;
          }
        }
      }
    }
    return hops;
  }

  /** Nodes with their sizes, moving. A node's box holds its circle and the label below. */
  private record Page(double[] x, double[] y, double[] radius, double[] labelWidth) {

    double halfWidth(int i) {
      return Math.max(radius[i], labelWidth[i] / 2) + 5;
    }

    double above(int i) {
      return radius[i] + 4;
    }

    double below(int i) {
      return radius[i] + LABEL_HEIGHT + 2;
    }

    void spread(int[] nodes, int[][] hops) {
      int n = nodes.length;
      for (int i = 0; i < n; i++) {
        // StrictMath: the same bits on every machine.
        x[nodes[i]] = EDGE_LENGTH * StrictMath.cos(2 * Math.PI * i / n);
        y[nodes[i]] = EDGE_LENGTH * StrictMath.sin(2 * Math.PI * i / n);
      }
      double moved = Double.MAX_VALUE;
      for (int round = 0; moved > SETTLED && round < STRESS_ROUNDS; round++) {
        moved = 0;
        for (int i = 0; i < n; i++) {
          moved = Math.max(moved, relax(i, nodes, hops));
        }
      }
      turnFlat(nodes);
      fit(nodes);
      separate(nodes);
    }

    /** Stretches or shrinks the picture to a wide box with room for the labels. */
    private void fit(int[] nodes) {
      double area = 0;
      double spanX = 1;
      double spanY = 1;
      for (int i : nodes) {
        area += 2 * halfWidth(i) * (above(i) + below(i));
        spanX = Math.max(spanX, 2 * Math.abs(x[i]));
        spanY = Math.max(spanY, 2 * Math.abs(y[i]));
      }
      double width = Math.min(WIDTH - 180, Math.sqrt(area * SPARSENESS * ASPECT));
      double height = area * SPARSENESS / width;
      double scaleX = Math.min(1.5, width / spanX);
      double scaleY = Math.clamp(height / spanY, 0.6, 1.2);
      for (int i : nodes) {
        x[i] *= scaleX;
        y[i] *= scaleY;
      }
    }

    /** Moves one node to where its distances to all others fit best; returns how far it went. */
    private double relax(int i, int[] nodes, int[][] hops) {
      double sumX = 0;
      double sumY = 0;
      double weights = 0;
      int me = nodes[i];
      for (int j = 0; j < nodes.length; j++) {
        if (j == i) {
          continue;
        }
        double wanted = EDGE_LENGTH * hops[i][j];
        double weight = 1 / (wanted * wanted);
        double dx = x[me] - x[nodes[j]];
        double dy = y[me] - y[nodes[j]];
        double distance = Math.max(1e-3, Math.sqrt(dx * dx + dy * dy));
        sumX += weight * (x[nodes[j]] + wanted * dx / distance);
        sumY += weight * (y[nodes[j]] + wanted * dy / distance);
        weights += weight;
      }
      double moved = Math.max(Math.abs(x[me] - sumX / weights), Math.abs(y[me] - sumY / weights));
      x[me] = sumX / weights;
      y[me] = sumY / weights;
      return moved;
    }

    /** Turns the nodes about their centre, which becomes the origin, until they lie widest. */
    private void turnFlat(int[] nodes) {
      double centreX = Arrays.stream(nodes).mapToDouble(i -> x[i]).average().orElse(0);
      double centreY = Arrays.stream(nodes).mapToDouble(i -> y[i]).average().orElse(0);
      double xx = 0;
      double yy = 0;
      double xy = 0;
      for (int i : nodes) {
        x[i] -= centreX;
        y[i] -= centreY;
        xx += x[i] * x[i];
        yy += y[i] * y[i];
        xy += x[i] * y[i];
      }
      double angle = -0.5 * StrictMath.atan2(2 * xy, xx - yy);
      double cos = StrictMath.cos(angle);
      double sin = StrictMath.sin(angle);
      for (int i : nodes) {
        double turned = x[i] * cos - y[i] * sin;
        y[i] = x[i] * sin + y[i] * cos;
        x[i] = turned;
      }
    }

    /** Pushes overlapping boxes apart, each pair along the axis where they overlap less. */
    private void separate(int[] nodes) {
      boolean moved = true;
      for (int round = 0; moved && round < SEPARATION_ROUNDS; round++) {
        moved = false;
        for (int a = 0; a < nodes.length; a++) {
          for (int b = a + 1; b < nodes.length; b++) {
            moved |= push(nodes[a], nodes[b]);
          }
        }
      }
    }

    private boolean push(int i, int j) {
      double overlapX = halfWidth(i) + halfWidth(j) - Math.abs(x[i] - x[j]);
      boolean iAbove = y[i] <= y[j];
      double overlapY =
          iAbove ? y[i] + below(i) - (y[j] - above(j)) : y[j] + below(j) - (y[i] - above(i));
      if (overlapX <= 0 || overlapY <= 0) {
        return false;
      }
      double heights = above(i) + below(i) + above(j) + below(j);
      if (overlapX * heights < overlapY * 2 * (halfWidth(i) + halfWidth(j))) {
        double step = (overlapX + 0.5) / (x[i] <= x[j] ? -2 : 2);
        x[i] += step;
        x[j] -= step;
      } else {
        double step = (overlapY + 0.5) / (iAbove ? -2 : 2);
        y[i] += step;
        y[j] -= step;
      }
      return true;
    }

    double widest(List<int[]> groups) {
      return groups.stream().mapToDouble(nodes -> right(nodes) - left(nodes)).max().orElse(0);
    }

    /** Lays groups side by side in centred rows; returns where the last row ends. */
    double inRows(List<int[]> groups, double top, double pageWidth, double gap) {
      double end = groups.isEmpty() ? top : top - gap;
      int next;
      for (int first = 0; first < groups.size(); first = next) {
        double rowWidth = -gap;
        next = first;
        while (next < groups.size()) {
          double needed = right(groups.get(next)) - left(groups.get(next)) + gap;
          if (next > first && rowWidth + needed > pageWidth - 2 * MARGIN) {
            break;
          }
          rowWidth += needed;
          next++;
        }
        end = row(groups.subList(first, next), end + gap, (pageWidth - rowWidth) / 2, gap);
      }
      return end;
    }

    /** Moves everything to the left margin; returns the width that is left. */
    double crop(int n) {
      int[] all = IntStream.range(0, n).toArray();
      if (n == 0) {
        return 2 * MARGIN;
      }
      double shift = MARGIN - left(all);
      for (int i : all) {
        x[i] += shift;
      }
      return right(all) + MARGIN;
    }

    private double row(List<int[]> groups, double rowTop, double start, double gap) {
      double height = groups.stream().mapToDouble(g -> bottom(g) - top(g)).max().orElseThrow();
      double at = start;
      for (int[] nodes : groups) {
        double dx = at - left(nodes);
        double spare = height - (bottom(nodes) - top(nodes));
        // The labels of single topics stand on one line.
        double dy = rowTop + (nodes.length == 1 ? spare : spare / 2) - top(nodes);
        at += right(nodes) - left(nodes) + gap;
        for (int i : nodes) {
          x[i] += dx;
          y[i] += dy;
        }
      }
      return rowTop + height;
    }

    private double left(int[] nodes) {
      return Arrays.stream(nodes).mapToDouble(i -> x[i] - halfWidth(i)).min().orElseThrow();
    }

    private double right(int[] nodes) {
      return Arrays.stream(nodes).mapToDouble(i -> x[i] + halfWidth(i)).max().orElseThrow();
    }

    private double top(int[] nodes) {
      return Arrays.stream(nodes).mapToDouble(i -> y[i] - above(i)).min().orElseThrow();
    }

    private double bottom(int[] nodes) {
      return Arrays.stream(nodes).mapToDouble(i -> y[i] + below(i)).max().orElseThrow();
    }
  }
}
