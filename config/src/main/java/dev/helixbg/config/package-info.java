/**
 * Settings, each with its default, bounds and origin, and the places on this machine where things
 * live.
 */
package dev.helixbg.config;
