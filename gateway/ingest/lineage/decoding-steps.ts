/** Explains in sentences how a value is decoded from a frame. */
import { signalRow } from '#contract/base/signals.ts';
import { parameterName } from '#contract/fleet/fault-words.ts';
import { FRAME } from '#contract/fleet/frame.ts';
import { idText, type LiveDbc } from '#domain/dbc/mapping.ts';
import { destinationOf, pgnOf, sourceOf } from '#domain/j1939/identifier.ts';
import { PARAMETERS } from '#domain/j1939/parameters.ts';
import { largestValid } from '#domain/j1939/signals.ts';
import { isGnss } from '#domain/machine/evidence.ts';
import type { FoundValue, RawFrame } from './value-scan.ts';

/** Returns the bytes as hexadecimal numbers, separated by spaces. */
export const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ');

/** Returns the CAN identifier as hexadecimal text: 8 digits for an identifier of 29 bits, 3 digits for one of 11 bits. */
export const identifierOf = ({ id, flags }: RawFrame): string => idText(id, (flags & FRAME.extended) !== 0);

const hex = (number: number): string => `0x${number.toString(16).toUpperCase()}`;
/** Returns the offset of a formula as text, such as ` + 5` or ` - 5`; an empty text for an offset of zero. */
const plus = (offset: number): string => (offset === 0 ? '' : offset < 0 ? ` - ${-offset}` : ` + ${offset}`);

/** Returns a sentence that explains the CAN identifier of a frame. */
function identifierStep(frame: RawFrame): string {
  if ((frame.flags & FRAME.extended) === 0)
    return `The CAN identifier ${identifierOf(frame)} has 11 bits, so it is not J1939.`;
  const pgn = pgnOf(frame.id);
  const group = PARAMETERS.find((row) => row.pgn === pgn)?.pg;
  const to = destinationOf(frame.id);
  return `The CAN identifier ${identifierOf(frame)} means: priority ${frame.id >>> 26}, PGN ${pgn}${group === undefined ? '' : ` (${group})`}, from source address ${sourceOf(frame.id)} (${hex(sourceOf(frame.id))}) to ${to === 255 ? 'all' : `address ${to}`}.`;
}

function parameterSteps({ evidence, raw, value, frame }: FoundValue): string[] {
  const row = PARAMETERS[evidence.key];
  if (row === undefined || raw === null || frame === null) return [];
  const { byte, bits, scale, offset, unit, factor, spn } = row;
  const bytes = bits / 8;
  const place = bytes === 1 ? `byte ${byte}` : `bytes ${byte} to ${byte + bytes - 1}, lowest byte first`;
  const name = `SPN ${spn}${parameterName(spn) === null ? '' : ` (${parameterName(spn)})`}`;
  const physical = `${raw} × ${scale}${plus(offset)}`;
  const signal = signalRow(evidence.signal);
  const isWhole = pgnOf(frame.id) === row.pgn;
  return [
    identifierStep(frame),
    isWhole
      ? `${name} is ${place} of the payload: ${hexOf(frame.data.subarray(byte - 1, byte - 1 + bytes))}. That is the raw number ${raw}.`
      : `The frame completes a message of several frames with PGN ${row.pgn} (${row.pg}). ${name} is ${place} of that message: the raw number ${raw}.`,
    `The raw number is valid: the largest valid number with ${bits} bits is ${largestValid(bits)}. Larger numbers mean "error" or "not available".`,
    factor === 1
      ? `${physical} = ${value} ${unit}.`
      : `${physical} is the value in ${unit}. Multiplied by ${factor} it is ${value} ${signal.unit}.`,
  ];
}

function dbcSteps({ evidence, raw, value, frame }: FoundValue, files: readonly LiveDbc[]): string[] {
  const { target } = evidence;
  if (target === undefined || frame === null) return [];
  const of = files.flatMap(({ plan, targets }) => plan.signals.filter((_, i) => targets[i]?.source === target.source));
  const [planned] = of;
  const { unit } = signalRow(evidence.signal);
  const conversion =
    target.factor === 1 && target.offset === 0
      ? `This is the signal ${target.to} in ${unit}: ${value}.`
      : `The mapping converts it to ${target.to}: × ${target.factor}${plus(target.offset)} = ${value} ${unit}.`;
  if (planned === undefined)
    return [identifierStep(frame), `DBC signal ${target.source}: raw number ${raw}.`, conversion];
  const { name, start, bits, motorola, signed, factor, offset, unit: own } = planned.signal;
  return [
    identifierStep(frame),
    `The DBC file describes the signal ${name}: start bit ${start}, ${bits} bits, ${motorola ? 'Motorola' : 'Intel'} byte order, ${signed ? 'signed' : 'unsigned'}. The raw number is ${raw}.`,
    `The DBC file scales it: ${raw} × ${factor.value}${plus(offset.value)}${own === '' ? '' : ` ${own}`}.`,
    conversion,
  ];
}

/** Returns the steps that lead from the raw data to the value. Each step is one or two sentences. */
export function stepsOf(found: FoundValue, files: readonly LiveDbc[]): string[] {
  const { evidence, value, frame, raw } = found;
  const { unit } = signalRow(evidence.signal);
  if (found.person !== undefined)
    return [
      `${found.person.name} read ${evidence.signal} = ${value} ${unit} on the machine. Reason: ${found.person.reason}`,
    ];
  if (frame === null)
    return [
      `The device sent ${evidence.signal} = ${value} ${unit} in a telemetry point. The gateway decodes nothing here.`,
    ];
  if (evidence.target !== undefined) return dbcSteps(found, files);
  if (isGnss(evidence.spn))
    return [
      identifierStep(frame),
      `The frame has the layout of the GNSS receiver of the logger. The raw number ${raw} is ${value} ${unit}.`,
    ];
  return parameterSteps(found);
}
