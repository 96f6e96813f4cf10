/** Words, identifiers and numbers of texts, and vectors made of them. */
package dev.helixbg.insight.terms;
