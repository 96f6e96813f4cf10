/** helix's data.log: reading it, whatever state it is in, and taking bodies apart. */
package dev.helixbg.insight.log;
