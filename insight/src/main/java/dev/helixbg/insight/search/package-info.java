/** Finding entries by what they mean and say. */
package dev.helixbg.insight.search;
