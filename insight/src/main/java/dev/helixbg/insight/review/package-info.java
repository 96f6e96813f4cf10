/**
 * Insights of their own time: what a session brought, which topics drift together, what is stale.
 */
package dev.helixbg.insight.review;
