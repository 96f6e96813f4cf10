package dev.helixbg.insight.log;

/** Receives what a walk over a log meets, by rising offset; together the calls cover every byte. */
interface RecordSink {

  /**
   * A whole entry record.
   *
   * @param bytes hold topic and body, one after the other, at {@code index}; valid during the call
   */
  void entry(
      long offset, int timestampMin, byte[] bytes, int index, int topicLength, int bodyLength);

  /** A whole delete record. */
  void delete(long offset, long target);

  /** A stretch that is no record, or a repair of the record that follows. */
  void damage(LogAccount.Damage damage);
}
