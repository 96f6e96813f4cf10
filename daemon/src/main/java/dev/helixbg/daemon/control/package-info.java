/** The control socket: lines of JSON over a Unix domain socket, both ends. */
package dev.helixbg.daemon.control;
