import type { Evidence } from '#domain/machine/evidence.ts';
import type { SourceValue } from '#domain/machine/source-value.ts';

/** A value as a device sends it; `unit` is the address unless a test says otherwise. */
export function sent(
  evidence: Evidence,
  raw: number | null,
  value: number,
  t_us: number,
  bus: number,
  sa: number,
  frame: number,
  undated = false,
  unit = sa,
): SourceValue {
  return { evidence, raw, value, t_us, undated, observed_us: t_us, bus, sa, frame, unit };
}
