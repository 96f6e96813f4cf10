/** Text from elsewhere, made fit to be shown. */
package dev.helixbg.config.text;
