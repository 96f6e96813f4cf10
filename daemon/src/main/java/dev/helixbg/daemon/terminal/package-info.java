/** What the program tells its user: exit codes, failures, faults, progress, checks, JSON. */
package dev.helixbg.daemon.terminal;
