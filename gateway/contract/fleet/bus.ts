/** The buses of a device as they are heard: control units, parameter groups, load; and the settings that say how to read them. */
import { z } from 'zod';
import { BudgetSettings } from '#contract/base/budget.ts';
import { freeJson, idPath, Timestamp } from '#contract/base/common.ts';
import { HINTS, operation, V1 } from '#contract/base/operation.ts';
import { Dtc } from './equipment.ts';

const Channel = z.number().int().min(0).max(255);
const Address = z.number().int().min(0).max(255);

/** How trouble codes with the conversion bit set lay out their SPN, for a source; without a rule it stays unknown. */
const DtcConversion = z.object({
  bus: Channel.nullable().default(null).meta({ description: 'Null stands for every bus.' }),
  source_address: Address.nullable().default(null).meta({ description: 'Null stands for every address.' }),
  method: z.union([z.literal(1), z.literal(2), z.literal(3)]).meta({ description: 'Version of J1939-73.' }),
});

const BitRate = z.object({
  bus: Channel,
  bit_rate: z.number().int().min(10_000).max(1_000_000).meta({ unit: 'bit/s' }),
});

/** Settings of a device that this gateway itself reads; the first rule that speaks of a source counts. */
const BusSettings = z.object({
  dtc_conversion: z.array(DtcConversion).max(32).default([]),
  bus_bit_rates: z.array(BitRate).max(16).default([]),
});
export type BusSettings = z.infer<typeof BusSettings>;

const SETTINGS = Object.keys(BusSettings.shape) as (keyof BusSettings)[];

/** What the settings of a device say of its buses; what cannot be read says nothing. */
export function busSettings(settings: Readonly<Record<string, unknown>> | undefined): BusSettings {
  const given = Object.fromEntries(
    SETTINGS.flatMap((name) => (settings?.[name] == null ? [] : [[name, settings[name]]])),
  );
  const read = BusSettings.safeParse(given);
  return read.success ? read.data : { dtc_conversion: [], bus_bit_rates: [] };
}

/** Settings of a device by name; those of its buses must be readable, as a rule that nobody follows looks like one that is followed. */
export const DeviceSettings = freeJson(64, 200, 65_536)
  .superRefine((settings, context) => {
    for (const name of SETTINGS) {
      const value = settings[name];
      const read = value == null ? undefined : BusSettings.shape[name].safeParse(value);
      for (const { path, message } of read?.error?.issues ?? [])
        context.addIssue({ code: 'custom', path: [name, ...path], message });
    }
    const budgets = settings.budgets == null ? undefined : BudgetSettings.safeParse(settings.budgets);
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
      .meta({ description: 'The first 20.' }),
    lamps: z.object({ mil: Lamp, red_stop: Lamp, amber: Lamp, protect: Lamp }),
    observed_at: Timestamp,
  })
  .meta({ id: 'BusCodes', description: 'What one control unit said of its trouble codes.' });

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
    previous_addresses: z
      .array(z.number().int())
      .meta({ description: 'Addresses that it had before, the latest last.' }),
  })
  .meta({ id: 'BusName', description: 'NAME of a control unit by its address claim (J1939-81).' });

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
    .meta({ description: 'estimate: from how close frames follow each other; null when nothing speaks for a rate.' }),
  frames_per_s: z.number().nullable(),
  bits_per_s: z.number().nullable().meta({ description: 'With an estimate of stuffing.', unit: 'bit/s' }),
  load_pct: z.number().nullable().meta({ description: 'Null when the bit rate is not known.', unit: '%' }),
});

const Ecu = z.object({
  bus: z.number().int(),
  source_address: z.number().int().nullable().meta({ description: 'Null while it has no address.' }),
  usual_name: z.string().nullable().meta({ description: 'Who usually has this address.' }),
  name: Name.nullable(),
  frames: z.number().int().meta({ description: 'Sent from this address.' }),
  groups: z.number().int(),
  last_heard_at: Timestamp.nullable(),
  vin: z.string().nullable(),
  component: Component.nullable(),
  software: z.array(z.string()).nullable(),
  active_codes: Codes.nullable().meta({ description: 'DM1; null when it never sent one.' }),
  previous_codes: Codes.nullable().meta({ description: 'DM2, which most units send when asked.' }),
});

const Group = z.object({
  bus: z.number().int(),
  source_address: z.number().int(),
  pgn: z.number().int(),
  acronym: z.string().nullable().meta({ description: 'As SAE prints it; null when it is not in the table.' }),
  decoded: z.boolean().meta({ description: 'False: this gateway reads nothing of it.' }),
  frames: z.number().int(),
  per_s: z.number().nullable(),
  last_heard_at: Timestamp,
});

/** What machinery knows of the buses of a device, besides what its settings say. */
export const BusHeard = z.object({
  heard_at: Timestamp.nullable().meta({ description: 'The newest frame.' }),
  rates_from: Timestamp.nullable().meta({ description: 'Rates and load are of the time from here ...' }),
  rates_until: Timestamp.nullable().meta({ description: '... to here.' }),
  buses: z.array(Bus),
  ecus: z.array(Ecu),
  groups: z.array(Group),
  transport: z.object({
    completed: z.number().int(),
    aborted: z.number().int(),
    lost: z.number().int().meta({ description: 'Messages of several packets that did not come whole.' }),
    extended: z.number().int().meta({ description: 'Frames of extended transport (ETP, over 1785 bytes): not read.' }),
  }),
  not_counted: z.number().int().meta({ description: 'Frames beyond 16 buses or 1024 rows of groups.' }),
});
export type BusHeard = z.infer<typeof BusHeard>;

const BusCensus = z
  .object({
    object: z.literal('bus_census'),
    device_id: z.string().meta({ description: 'Record id.' }),
    ...BusHeard.shape,
    groups_total: z.number().int().meta({ description: 'Rows before `limit`.' }),
  })
  .meta({ id: 'BusCensus', description: 'Who is on the buses of a device and what they send.' });

/** Operations on the buses of a device. */
export const busOperations = {
  devices_bus_get: operation({
    method: 'GET',
    path: `${V1}/devices/{id}/bus`,
    summary: 'Get the census of the buses of a device: control units, parameter groups, load, trouble codes',
    input: z.object({
      ...idPath,
      bus: z.number().int().min(0).max(255).optional(),
      decoded: z.boolean().optional().meta({ description: 'Groups that are read here, or that are not.' }),
      limit: z.number().int().min(1).max(1024).default(200).meta({ description: 'Rows of groups, the busiest first.' }),
    }),
    output: BusCensus,
    hints: HINTS.READ,
    errors: ['not_found'],
    source: {
      extension: 'people and agents see what is on a bus before anything is linked or mapped (part 4, bus census)',
    },
  }),
} as const;
