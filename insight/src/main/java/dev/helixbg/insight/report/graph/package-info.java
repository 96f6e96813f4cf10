/** The map of topics: which topics and lines are drawn, and where. */
package dev.helixbg.insight.report.graph;
