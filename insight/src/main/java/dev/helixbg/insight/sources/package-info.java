/**
 * What entries say of source code, held against the repositories that the user named: files that
 * moved, identifiers that are gone, lines that changed.
 */
package dev.helixbg.insight.sources;
