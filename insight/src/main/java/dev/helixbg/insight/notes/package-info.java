/** A folder of Markdown notes read as a knowledge base: files to entries, entries to a log. */
package dev.helixbg.insight.notes;
