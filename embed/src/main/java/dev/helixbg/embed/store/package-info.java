/** Files that are replaced in one step or appended to line by line; locks among processes. */
package dev.helixbg.embed.store;
