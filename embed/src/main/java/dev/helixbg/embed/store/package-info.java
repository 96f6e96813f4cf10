/** Files that are replaced whole or not at all. */
package dev.helixbg.embed.store;
