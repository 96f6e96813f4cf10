package dev.helixbg.insight.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Writes the bytes of a data.log as helix does, for tests and for the sample KB; helix-bg itself
 * never writes helix's data.log.
 */
public final class DataLogBytes {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  public DataLogBytes() {
    bytes.writeBytes(little(8).put("AMRL".getBytes(UTF_8)).putInt(1).array());
  }

  /** Appends an entry and returns its offset. */
  public int entry(String topic, String body, int timestampMin) {
    int offset = bytes.size();
    byte[] topicBytes = topic.getBytes(UTF_8);
    byte[] bodyBytes = body.getBytes(UTF_8);
    bytes.writeBytes(header(topicBytes.length, bodyBytes.length, timestampMin));
    bytes.writeBytes(topicBytes);
    bytes.writeBytes(bodyBytes);
    return offset;
  }

  /** Returns the header of an entry with these lengths in bytes, which need not be true. */
  static byte[] header(int topicLength, long bodyLength, int timestampMin) {
    ByteBuffer header = little(12).put((byte) 1).put((byte) topicLength);
    return header.putInt((int) bodyLength).putInt(timestampMin).putShort((short) 0).array();
  }

  /** Appends a delete of the entry at {@code target}. */
  public DataLogBytes delete(int target) {
    bytes.writeBytes(little(8).put((byte) 2).put(new byte[3]).putInt(target).array());
    return this;
  }

  /** Appends bytes as they are. */
  public DataLogBytes raw(byte... damaged) {
    bytes.writeBytes(damaged);
    return this;
  }

  public int size() {
    return bytes.size();
  }

  public byte[] toByteArray() {
    return bytes.toByteArray();
  }

  /** Returns the records without the file's header, to be appended to another log. */
  public byte[] records() {
    return Arrays.copyOfRange(bytes.toByteArray(), 8, bytes.size());
  }

  private static ByteBuffer little(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }
}
