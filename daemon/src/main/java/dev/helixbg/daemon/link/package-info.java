/** Where the one daemon of a user lives, and how commands talk to it. */
package dev.helixbg.daemon.link;
