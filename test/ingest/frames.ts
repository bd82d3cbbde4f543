/** Candump lines of what a machine says, for tests: `t` in milliseconds since 1970. */

function hex(value: number, bytes: number): string {
  let text = '';
  for (let i = 0; i < bytes; i++) text += (Math.floor(value / 256 ** i) % 256).toString(16).padStart(2, '0');
  return text.toUpperCase();
}

function line(t: number, id: string, data: string, bus = 0): string {
  return `(${(t / 1000).toFixed(6)}) can${bus} ${id}#${data}\n`;
}

/** EEC1: engine speed in rpm, from address 0 unless told. */
export function speed(t: number, rpm: number, sa = 0, bus = 0): string {
  return line(t, `0CF004${hex(sa, 1)}`, `FFFFFF${hex(Math.round(rpm / 0.125), 2)}FFFFFF`, bus);
}

/** HOURS: total engine hours. */
export function hours(t: number, h: number): string {
  return line(t, '18FEE500', `${hex(Math.round(h / 0.05), 4)}FFFFFFFF`);
}

/** Lamps of a DM1 as its first byte. */
export const LAMPS = { none: '00', amber: '04', redStop: '10' } as const;

/** DM1 with one code, or none. */
export function dm1(t: number, spn: number, fmi: number, lamps: string = LAMPS.amber): string {
  const code = spn === 0 ? '00000000' : `${hex(spn % 65_536, 2)}${hex((Math.floor(spn / 65_536) << 5) | fmi, 1)}01`;
  return line(t, '18FECA00', `${lamps}FF${code}FFFF`);
}

/** A running engine for so many seconds, ten messages of EEC1 a second. */
export function running(from: number, seconds: number, rpm = 1500): string {
  let text = '';
  for (let i = 0; i <= seconds * 10; i++) text += speed(from + i * 100, rpm);
  return text;
}
