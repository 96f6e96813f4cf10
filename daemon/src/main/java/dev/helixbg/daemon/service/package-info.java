/**
 * The daemon as a service of launchd on macOS, of systemd on Linux: what runs, by whom, how it
 * does.
 */
package dev.helixbg.daemon.service;
