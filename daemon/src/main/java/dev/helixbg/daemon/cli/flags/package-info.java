/** Options that several commands share. */
package dev.helixbg.daemon.cli.flags;
