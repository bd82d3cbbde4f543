/** A log of a machine's bus as candump text, made as fast as a disk takes it: for tests that need much of it. */

const hex = (value: number, bytes: number): string => {
  let text = '';
  for (let i = 0; i < bytes; i++)
    text += (Math.floor(value / 256 ** i) % 256).toString(16).padStart(2, '0').toUpperCase();
  return text;
};

/** Engine hours at a second of the log, in steps of the parameter (0.05 h): every second another. */
export const hoursAt = (second: number, first = 20_000): number => (first + Math.floor(second / 180)) / 20;

/**
 * So many seconds of bus from a time (milliseconds since 1970), `per_second` frames each: eleven parameter groups with fifteen of our
 * signals, the rest of the frames engine speed. `first` is the raw number of engine hours to begin with.
 */
export function* busLog(from_ms: number, seconds: number, per_second = 100, first = 20_000): Generator<string> {
  const from_s = Math.floor(from_ms / 1000);
  for (let s = 0; s < seconds; s++) {
    const groups = [
      `18FEE500#${hex(Math.round(hoursAt(s, first) / 0.05), 4)}FFFFFFFF`,
      `0CF00300#FFFF${hex(20 + (s % 60), 1)}FFFFFFFFFF`,
      `18FEF200#${hex(200 + (s % 300), 2)}FFFFFFFFFFFF`,
      `18FEEE00#${hex(120 + (s % 10), 1)}${hex(80 + (s % 5), 1)}${hex(11_500 + (s % 400), 2)}FFFFFFFF`,
      `18FEEF00#FFFFFF${hex(60 + (s % 20), 1)}FFFFFFFF`,
      `18FEF700#FFFFFFFF${hex(270 + (s % 10), 2)}FFFF`,
      `18FEF100#FF${hex((s % 40) * 256, 2)}FFFFFFFFFF`,
      `18FEFC00#FF${hex(200 - (s % 50), 1)}FFFFFFFFFFFF`,
      `18FEF600#FF${hex(30 + (s % 30), 1)}${hex(70 + (s % 9), 1)}FFFFFFFFFF`,
      `18FE5600#${hex(180 - (s % 40), 1)}${hex(70, 1)}FFFFFFFFFFFF`,
    ];
    const rest = Math.max(1, per_second - groups.length);
    let text = '';
    const line = (i: number, frame: string) => {
      text += `(${from_s + s}.${String(Math.floor((i * 1_000_000) / (rest + groups.length))).padStart(6, '0')}) can0 ${frame}\n`;
    };
    for (let i = 0; i < rest; i++) line(i, `0CF00400#FFFFFF${hex((800 + ((s * 7 + i) % 900)) * 8, 2)}FFFFFF`);
    groups.forEach((group, i) => {
      line(rest + i, group);
    });
    yield text;
  }
}
