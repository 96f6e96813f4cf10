/**
 * Reports of what was found: a view of words and numbers made once, and one small renderer per
 * format. Every text of an entry is untrusted here.
 */
package dev.helixbg.insight.report;
