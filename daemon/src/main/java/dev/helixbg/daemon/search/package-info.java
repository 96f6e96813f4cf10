/** Finding entries by what they mean, and answering from them. */
package dev.helixbg.daemon.search;
