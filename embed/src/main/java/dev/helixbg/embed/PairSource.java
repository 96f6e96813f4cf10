package dev.helixbg.embed;

/** Source of the pair judges, which are opened only when pairs must be read. */
public interface PairSource {
  /**
   * Properties of the pair judges.
   *
   * @param id 32 hexadecimal digits; the same id means the same readings of the same texts
   * @param ofNotes calibration of the judge of notes
   * @param ofFacts calibration of the judge of facts
   */
  record Judge(String id, PairCalibration ofNotes, PairCalibration ofFacts) {}

  /** Returns the judges' properties; throws if a judge is missing or has another format. */
  Judge judge();

  /** Opens the pair judges, which the caller closes; throws if they cannot run here. */
  PairReader open();
}
