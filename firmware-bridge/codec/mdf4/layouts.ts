/**
 * The layouts in which the writer stores frames. A layout defines the channel groups, and the channels (fields) of each record.
 *
 *   standard   our own layout, which other tools can open: few groups, each payload in the record of its frame
 *   single     as CANedge loggers before firmware 01.07 write: one group for all frames, times in nanoseconds, each payload in a
 *              separate record (a "variable value")
 *   grouped    as CANedge loggers from 01.07 on write: a group for each bus, direction, identifier width and length. A value that all
 *              records of a group share is stored once, as the constant of a "virtual channel".
 */
import { FRAME } from '#contract/fleet/frame.ts';

export type Mdf4Layout = 'standard' | 'single' | 'grouped';

/** The names of channels. Each channel has one part of a frame. */
export type ChannelValue =
  | 'BusChannel'
  | 'ID'
  | 'IDE'
  | 'DLC'
  | 'DataLength'
  | 'DataBytes'
  | 'Dir'
  | 'EDL'
  | 'BRS'
  | 'ErrorType';

export interface ChannelLayout {
  readonly value: ChannelValue;
  readonly byte: number;
  readonly bit: number;
  readonly bits: number;
  /**
   * The constant value of a virtual channel (a channel that has the same value in all records of its group). It is absent if the value is
   * in the record.
   */
  readonly always?: number;
  /** True if the channel has the length code (DLC). A conversion in the file changes the code to the length. */
  readonly coded?: true;
}

export interface GroupLayout {
  readonly name: string;
  readonly event: 'CAN_DataFrame' | 'CAN_RemoteFrame' | 'CAN_ErrorFrame';
  readonly recordBytes: number;
  readonly channels: readonly ChannelLayout[];
  /** True if the payload is a variable value outside the record. The channel `DataBytes` then has the offset of the payload. */
  readonly values: boolean;
  /** Returns true if frames with this bus, flags and length belong to this group. */
  takes(bus: number, flags: number, len: number): boolean;
}

/** How a layout stores the time of a frame. */
export interface TimeLayout {
  readonly bytes: 6 | 8;
  readonly form: 'ns_float' | 'us_unsigned' | 'us_signed';
}

export const TIMES: Readonly<Record<Mdf4Layout, TimeLayout>> = {
  standard: { bytes: 8, form: 'us_signed' },
  single: { bytes: 8, form: 'ns_float' },
  grouped: { bytes: 6, form: 'us_unsigned' },
};

const at = (value: ChannelValue, byte: number, bit: number, bits: number): ChannelLayout => ({
  value,
  byte,
  bit,
  bits,
});
const always = (value: ChannelValue, base: number): ChannelLayout => ({
  value,
  byte: 0,
  bit: 0,
  bits: 0,
  always: base,
});

const isError = (flags: number) => (flags & FRAME.error) !== 0;
const isRemote = (flags: number) => (flags & (FRAME.remote | FRAME.error)) === FRAME.remote;
const isData = (flags: number) => (flags & (FRAME.remote | FRAME.error)) === 0;

const IDENTIFIER = [at('ID', 8, 0, 29), at('IDE', 11, 7, 1), at('BusChannel', 12, 0, 8), at('DLC', 13, 0, 4)];
const PAYLOAD = (bytes: number) => [at('DataLength', 14, 0, 8), at('DataBytes', 15, 0, bytes * 8)];
const FD = [at('EDL', 13, 5, 1), at('BRS', 13, 6, 1)];

const STANDARD: readonly GroupLayout[] = [
  {
    name: 'CAN_DataFrame',
    event: 'CAN_DataFrame',
    recordBytes: 23,
    channels: [...IDENTIFIER, at('Dir', 13, 4, 1), ...FD, ...PAYLOAD(8)],
    values: false,
    takes: (_bus, flags, len) => isData(flags) && len <= 8,
  },
  {
    name: 'CAN_DataFrame_FD',
    event: 'CAN_DataFrame',
    recordBytes: 79,
    channels: [...IDENTIFIER, at('Dir', 13, 4, 1), ...FD, ...PAYLOAD(64)],
    values: false,
    takes: (_bus, flags, len) => isData(flags) && len > 8,
  },
  {
    name: 'CAN_RemoteFrame',
    event: 'CAN_RemoteFrame',
    recordBytes: 15,
    channels: [...IDENTIFIER, at('Dir', 13, 4, 1), at('DataLength', 14, 0, 8)],
    values: false,
    takes: (_bus, flags) => isRemote(flags),
  },
  {
    name: 'CAN_ErrorFrame',
    event: 'CAN_ErrorFrame',
    recordBytes: 24,
    channels: [...IDENTIFIER, at('Dir', 13, 4, 1), ...PAYLOAD(8), at('ErrorType', 23, 0, 8)],
    values: false,
    takes: (_bus, flags) => isError(flags),
  },
];

const SINGLE: readonly GroupLayout[] = [
  {
    name: 'CAN_DataFrame',
    event: 'CAN_DataFrame',
    recordBytes: 22,
    channels: [
      at('BusChannel', 13, 2, 2),
      at('ID', 8, 3, 29),
      at('IDE', 8, 0, 1),
      at('DLC', 13, 4, 4),
      at('DataLength', 12, 1, 7),
      at('DataBytes', 14, 0, 64),
      at('Dir', 13, 0, 1),
      at('EDL', 12, 0, 1),
      at('BRS', 13, 1, 1),
    ],
    values: true,
    takes: (_bus, flags) => isData(flags),
  },
  {
    name: 'CAN_ErrorFrame',
    event: 'CAN_ErrorFrame',
    recordBytes: 9,
    channels: [at('BusChannel', 8, 0, 2), at('ErrorType', 8, 2, 6)],
    values: false,
    takes: (_bus, flags) => isError(flags),
  },
  {
    name: 'CAN_RemoteFrame',
    event: 'CAN_RemoteFrame',
    recordBytes: 14,
    channels: [
      at('BusChannel', 8, 1, 2),
      at('ID', 8, 3, 29),
      at('IDE', 8, 0, 1),
      at('DLC', 13, 4, 4),
      at('DataLength', 12, 1, 7),
      at('Dir', 12, 0, 1),
    ],
    values: false,
    takes: (_bus, flags) => isRemote(flags),
  },
];

/** Returns the groups of one bus in the layout `grouped`. */
function groupsOf(bus: number): readonly GroupLayout[] {
  const groups: GroupLayout[] = [];
  const takesWhat = (dir: number, ide: number) => (flags: number) =>
    ((flags & FRAME.transmitted) !== 0) === (dir === 1) && ((flags & FRAME.extended) !== 0) === (ide === 1);
  const both = [0, 1];
  for (const ide of both)
    for (const dir of both) {
      const is = takesWhat(dir, ide);
      const way = `${dir === 1 ? 'Tx' : 'Rx'}`;
      const common = [
        always('BusChannel', bus),
        at('ID', 6, 0, ide === 1 ? 29 : 11),
        always('IDE', ide),
        always('Dir', dir),
      ];
      const [codeByte, codeBit] = ide === 1 ? [10, 0] : [7, 4];
      const length = (byte: number, bit: number) => [
        at('DLC', byte, bit, 4),
        { ...at('DataLength', byte, bit, 4), coded: true as const },
      ];
      const data = ide === 1 ? 11 : 8;
      groups.push({
        name: `CAN${bus}_${way}${ide === 1 ? '_IDE' : ''}`,
        event: 'CAN_DataFrame',
        recordBytes: data + 8,
        channels: [...common, ...length(codeByte as number, codeBit as number), at('DataBytes', data, 0, 64)],
        values: false,
        takes: (b, flags) => b === bus && isData(flags) && (flags & FRAME.fd) === 0 && is(flags),
      });
      for (const over of [false, true]) {
        const codeAt = ide === 1 ? 10 : 8;
        groups.push({
          name: `CAN${bus}_${way}_FD${ide === 1 ? '_IDE' : ''}_DLC_${over ? 'over' : 'up_to'}_8`,
          event: 'CAN_DataFrame',
          recordBytes: codeAt + 1 + (over ? 4 : 8),
          channels: [
            ...common,
            ...length(codeAt, 0),
            always('EDL', 1),
            at('BRS', codeAt, 6, 1),
            at('DataBytes', codeAt + 1, 0, over ? 32 : 64),
          ],
          values: over,
          takes: (b, flags, len) =>
            b === bus && isData(flags) && (flags & FRAME.fd) !== 0 && is(flags) && len > 8 === over,
        });
      }
      const remote = ide === 1 ? 10 : 7;
      groups.push({
        name: `CAN${bus}_RTR${ide === 1 ? '_IDE' : ''}_${way}`,
        event: 'CAN_RemoteFrame',
        recordBytes: remote + 1,
        channels: [...common, at('DLC', remote, 4, 4), at('DataLength', remote, 4, 4)],
        values: false,
        takes: (b, flags) => b === bus && isRemote(flags) && is(flags),
      });
    }
  groups.push({
    name: `CAN${bus}_Errors`,
    event: 'CAN_ErrorFrame',
    recordBytes: 7,
    channels: [always('BusChannel', bus), at('ErrorType', 6, 0, 6)],
    values: false,
    takes: (b, flags) => b === bus && isError(flags),
  });
  return groups;
}

/** Returns the groups of a layout; only the grouped layout uses `buses`. */
export function groupsOfLayout(layout: Mdf4Layout, buses: readonly number[]): readonly GroupLayout[] {
  if (layout === 'standard') return STANDARD;
  return layout === 'single' ? SINGLE : buses.flatMap(groupsOf);
}
