/** The clock of this process, which a test moves forward. Timers are not moved. */
const now = Date.now;
let ahead_ms = 0;

export function moveClock(ms: number): void {
  ahead_ms += ms;
  Date.now = () => now() + ahead_ms;
}
