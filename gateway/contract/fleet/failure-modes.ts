/** Texts for failure mode identifiers (FMI). The numbers come from SAE J1939-73, appendix A. This project wrote the texts. */
const WORDS = {
  0: 'far too high',
  1: 'far too low',
  2: 'erratic or implausible',
  3: 'voltage too high, or shorted to plus',
  4: 'voltage too low, or shorted to minus',
  5: 'current too low, or open circuit',
  6: 'current too high, or shorted to ground',
  7: 'mechanically stuck or out of adjustment',
  8: 'frequency or pulse width wrong',
  9: 'update rate wrong',
  10: 'changes too fast',
  11: 'cause unknown',
  12: 'device or component bad',
  13: 'out of calibration',
  14: 'see the special instructions of the maker',
  15: 'slightly too high',
  16: 'too high',
  17: 'slightly too low',
  18: 'too low',
  19: 'wrong data over the bus',
  20: 'drifted high',
  21: 'drifted low',
  31: 'condition exists',
} as const;

/** The text of a failure mode. */
export type FailureMode = (typeof WORDS)[keyof typeof WORDS];

/** The text of a failure mode; null for reserved numbers. */
export function failureMode(fmi: number): string | null {
  return WORDS[fmi as keyof typeof WORDS] ?? null;
}
