package dev.helixbg.insight.findings;

/** Which topics may be in one finding: any two, or only some. */
interface TopicPairs {
  TopicPairs ALL = (a, b) -> true;

  /**
   * @param a number of a topic, see {@link TopicIndex}; may be the same as {@code b}
   */
  boolean count(int a, int b);

  /** Which entries may be: those of such topics. */
  default NearestLists.Counting of(TopicIndex topics) {
    int[] topicOf = topics.topicOf();
    return (a, b) -> count(topicOf[a], topicOf[b]);
  }
}
