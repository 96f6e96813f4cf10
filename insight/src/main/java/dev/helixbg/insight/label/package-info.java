/** The labels of entries, and the classifier that guesses them without a language model. */
package dev.helixbg.insight.label;
