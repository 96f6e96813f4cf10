/** Findings that the user dealt with: where that is written down, and how it shapes a report. */
package dev.helixbg.insight.decisions;
