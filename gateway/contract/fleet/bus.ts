/** The bus inventory of a device (control units, parameter groups, load), and the device settings for decoding its buses. */
import { z } from 'zod';
import { BudgetSettings } from '#contract/base/budget.ts';
import { freeJson, idPath, Timestamp } from '#contract/base/common.ts';
import { PARSE } from '#contract/base/input-words.ts';
import { HINTS, operation, V1 } from '#contract/base/operation.ts';
import { Dtc } from './equipment.ts';

const Channel = z.number().int().min(0).max(255);
const Address = z.number().int().min(0).max(255);

/**
 * If the conversion bit of a trouble code is set, the SPN bits of the code may have one of three layouts (the conversion methods of
 * J1939-73). This rule says which layout a control unit uses. Without a rule, the SPN of the code is unknown.
 */
const DtcConversion = z.object({
  bus: Channel.nullable().default(null).meta({ description: 'Null: every bus.' }),
  source_address: Address.nullable().default(null).meta({ description: 'Null: every address.' }),
  method: z.union([z.literal(1), z.literal(2), z.literal(3)]).meta({ description: 'Version of J1939-73.' }),
});

const BitRate = z.object({
  bus: Channel,
  bit_rate: z.number().int().min(10_000).max(1_000_000).meta({ unit: 'bit/s' }),
});

/** A CAN channel on which the device itself sends its GNSS position, in frames with 11-bit identifiers. */
const GnssChannel = z.object({
  bus: Channel,
  frames: z.enum(['canedge_internal', 'canmod_gps']).meta({
    description:
      'canedge_internal: identifiers from 0x065 on, as on the internal channel of a CANedge. canmod_gps: the default identifiers of a CANmod.gps, from 0x001 on.',
  }),
});
export type GnssChannel = z.infer<typeof GnssChannel>;

/** Settings of a device for decoding its buses. In each list, the first entry that matches the bus and the address applies. */
const BusSettings = z.object({
  dtc_conversion: z.array(DtcConversion).max(32).default([]),
  bus_bit_rates: z.array(BitRate).max(16).default([]),
  gnss_channels: z.array(GnssChannel).max(16).default([]),
});
export type BusSettings = z.infer<typeof BusSettings>;

const SETTINGS = Object.keys(BusSettings.shape) as (keyof BusSettings)[];

/** Returns the bus settings of a device. If a stored setting is invalid, it returns settings without any rule. */
export function busSettings(settings: Readonly<Record<string, unknown>> | undefined): BusSettings {
  const given = Object.fromEntries(
    SETTINGS.flatMap((name) => (settings?.[name] == null ? [] : [[name, settings[name]]])),
  );
  const read = BusSettings.safeParse(given);
  return read.success ? read.data : { dtc_conversion: [], bus_bit_rates: [], gnss_channels: [] };
}

/**
 * Schema of the settings of a device by name. It refuses invalid bus settings. Otherwise a rule would be stored and look active, but the
 * gateway would ignore it.
 */
export const DeviceSettings = freeJson(64, 200, 65_536)
  .superRefine((settings, context) => {
    for (const name of SETTINGS) {
      const value = settings[name];
      const read = value == null ? undefined : BusSettings.shape[name].safeParse(value, PARSE);
      for (const { path, message } of read?.error?.issues ?? [])
        context.addIssue({ code: 'custom', path: [name, ...path], message });
    }
    const budgets = settings.budgets == null ? undefined : BudgetSettings.safeParse(settings.budgets, PARSE);
    for (const { path, message } of budgets?.error?.issues ?? [])
      context.addIssue({ code: 'custom', path: ['budgets', ...path], message });
  })
  .meta({ maxProperties: 200, 'x-max-json': 65_536 });

const LAMP_STATES = ['off', 'on', 'error', 'unavailable'] as const;
const LAMP_FLASHES = ['slow', 'fast', 'reserved', 'steady'] as const;
const Lamp = z.object({ state: z.enum(LAMP_STATES), flash: z.enum(LAMP_FLASHES) });

const Codes = z
  .object({
    count: z.number().int(),
    codes: z
      .array(Dtc.pick({ spn: true, fmi: true, occurrence_count: true, raw: true, meaning: true }))
      .meta({ description: 'At most 20.' }),
    lamps: z.object({ mil: Lamp, red_stop: Lamp, amber: Lamp, protect: Lamp }),
    observed_at: Timestamp,
  })
  .meta({ id: 'BusCodes', description: 'Trouble codes that one control unit reported.' });

const Name = z
  .object({
    raw: z.string().meta({ description: '16 hex digits, most significant first.' }),
    identity_number: z.number().int(),
    manufacturer_code: z.number().int(),
    manufacturer: z.string().nullable(),
    ecu_instance: z.number().int(),
    function_instance: z.number().int(),
    function: z.number().int(),
    function_name: z.string().nullable(),
    vehicle_system: z.number().int(),
    vehicle_system_instance: z.number().int(),
    industry_group: z.number().int(),
    industry: z.string(),
    arbitrary_address: z.boolean(),
    claimed_at: Timestamp,
    cannot_claim: z.boolean(),
    previous_addresses: z.array(z.number().int()).meta({ description: 'Its earlier addresses, the latest last.' }),
  })
  .meta({ id: 'BusName', description: 'NAME of a control unit from its address claim (J1939-81).' });

const Component = z.object({
  make: z.string().nullable(),
  model: z.string().nullable(),
  serial: z.string().nullable(),
  unit: z.string().nullable(),
});

const Bus = z.object({
  bus: z.number().int(),
  first_heard_at: Timestamp,
  last_heard_at: Timestamp,
  frames: z.number().int(),
  standard_frames: z.number().int().meta({ description: '11-bit data frames: not J1939.' }),
  remote_frames: z.number().int(),
  fd_frames: z.number().int(),
  error_frames: z.number().int(),
  last_error_at: Timestamp.nullable(),
  bit_rate: z.number().int().nullable().meta({ unit: 'bit/s' }),
  bit_rate_source: z
    .enum(['setting', 'estimate'])
    .nullable()
    .meta({ description: 'estimate: from the shortest times between frames. Null: unknown.' }),
  frames_per_s: z.number().nullable(),
  bits_per_s: z.number().nullable().meta({ description: 'Includes estimated bit stuffing.', unit: 'bit/s' }),
  load_pct: z.number().nullable().meta({ description: 'Null when the bit rate is not known.', unit: '%' }),
});

const Ecu = z.object({
  bus: z.number().int(),
  source_address: z.number().int().nullable().meta({ description: 'Null while it has no address.' }),
  usual_name: z
    .string()
    .nullable()
    .meta({ description: 'Control unit that usually has this address (SAE preferred address).' }),
  name: Name.nullable(),
  frames: z.number().int().meta({ description: 'Sent from this address.' }),
  groups: z.number().int(),
  last_heard_at: Timestamp.nullable(),
  vin: z.string().nullable(),
  component: Component.nullable(),
  software: z.array(z.string()).nullable(),
  active_codes: Codes.nullable().meta({ description: 'DM1; null when it never sent one.' }),
  previous_codes: Codes.nullable().meta({ description: 'DM2, which most control units send only on request.' }),
});

const Group = z.object({
  bus: z.number().int(),
  source_address: z.number().int(),
  pgn: z.number().int(),
  acronym: z.string().nullable().meta({ description: 'SAE acronym; null if the group is not in the table.' }),
  decoded: z.boolean().meta({ description: 'False if this gateway decodes no parameter of it.' }),
  frames: z.number().int(),
  per_s: z.number().nullable(),
  last_heard_at: Timestamp,
});

/** The bus inventory as the gateway computes it from frames: control units, parameter groups and load, without the device settings. */
export const BusHeard = z.object({
  heard_at: Timestamp.nullable().meta({ description: 'Time of the newest frame.' }),
  rates_from: Timestamp.nullable().meta({ description: 'Start of the period of the rates and the load.' }),
  rates_until: Timestamp.nullable().meta({ description: 'Period end.' }),
  buses: z.array(Bus),
  ecus: z.array(Ecu),
  groups: z.array(Group),
  transport: z.object({
    completed: z.number().int(),
    aborted: z.number().int(),
    lost: z.number().int().meta({ description: 'Multi-packet messages that were incomplete.' }),
    extended: z
      .number()
      .int()
      .meta({ description: 'Frames of the extended transport protocol (ETP, over 1785 bytes), which is not decoded.' }),
  }),
  not_counted: z.number().int().meta({ description: 'Frames that exceed the limits of 16 buses and 1024 rows.' }),
});
export type BusHeard = z.infer<typeof BusHeard>;

const BusCensus = z
  .object({
    object: z.literal('bus_census'),
    device_id: z.string().meta({ description: 'Record id.' }),
    ...BusHeard.shape,
    groups_total: z.number().int().meta({ description: 'Number of all rows.' }),
  })
  .meta({
    id: 'BusCensus',
    description: 'Control units on the buses of a device, and the parameter groups that they send.',
  });

/** Operations on the buses of a device. */
export const busOperations = {
  devices_bus_get: operation({
    method: 'GET',
    path: `${V1}/devices/{id}/bus`,
    summary: 'Get the bus inventory of a device: control units, parameter groups, load, trouble codes',
    input: z.object({
      ...idPath,
      bus: z.number().int().min(0).max(255).optional(),
      decoded: z
        .boolean()
        .optional()
        .meta({ description: 'True: only groups that are decoded. False: only the others.' }),
      limit: z
        .number()
        .int()
        .min(1)
        .max(1024)
        .default(200)
        .meta({ description: 'Number of rows, those with the highest rate first.' }),
    }),
    output: BusCensus,
    hints: HINTS.READ,
    errors: ['not_found'],
    source: { extension: 'shows what is on a bus before a device is linked or a signal is mapped' },
  }),
} as const;
