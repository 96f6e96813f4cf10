/**
 * What a language model says about entries: labels, verdicts on pairs, summaries, proposed merges;
 * how it is asked, and how its answers are remembered.
 */
package dev.helixbg.insight.judge;
