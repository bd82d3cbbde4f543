/** The clock by which the time of a sample was corrected. */

/** A clock that is more trusted than the clock of the device: GNSS time, or the time that a control unit sends in J1939 PGN 65254. */
export const TRUSTED_CLOCKS = ['gnss', 'j1939'] as const;
export type TrustedClock = (typeof TRUSTED_CLOCKS)[number];

/** The correction of a time. A sample without a correction has the time that its sender reported. */
export interface SampleClock {
  readonly clock: TrustedClock;
  /**
   * The number of milliseconds that was added to the reported time. The correction changes slowly with the drift of the clock of the
   * device, so this number may differ from the exact correction of a sample by up to `uncertainty_ms`.
   */
  readonly correction_ms: number;
  /** The largest difference, in milliseconds, between the corrected time and the time of the trusted clock. */
  readonly uncertainty_ms: number;
}
