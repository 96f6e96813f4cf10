/**
 * What the vectors and words of a KB tell: relations, overlaps, duplicates, links, misfiled
 * entries, and the distribution to judge them by.
 */
package dev.helixbg.insight.findings;
