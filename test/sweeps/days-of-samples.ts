/** A `telemetry` payload with one sample a day of the last `days` days before a time; history stores each day in a segment of its own. */
export function daysOfSamples(until_ms: number, days: number): string {
  const points = Array.from({ length: days }, (_, i) => ({
    observed_at: new Date(until_ms - (days - 1 - i) * 86_400_000).toISOString(),
    values: { 'engine.hours': 100 + i },
  }));
  return JSON.stringify({ points });
}
