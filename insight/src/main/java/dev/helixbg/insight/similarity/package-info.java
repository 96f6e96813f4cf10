/**
 * Similarities of many vectors to each other: the one numeric kernel of the findings, exact and the
 * same on every machine.
 */
package dev.helixbg.insight.similarity;
