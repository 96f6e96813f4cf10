/** The program: command line, wiring of the modules, exit codes. */
package dev.helixbg.daemon;
