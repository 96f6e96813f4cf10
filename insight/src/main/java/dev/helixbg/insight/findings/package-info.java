/**
 * What the vectors of a KB tell: overlaps, duplicates, links, misfiled entries, and the
 * distribution to judge them by.
 */
package dev.helixbg.insight.findings;
