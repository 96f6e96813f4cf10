/** What to do about a finding: the calls of helix's own tools that carry it out. */
package dev.helixbg.insight.acts;
