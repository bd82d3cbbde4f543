/** Read-only operations that find devices by serial and suggest machines for devices. */
import { z } from 'zod';
import { Id, listOf } from '#contract/base/common.ts';
import { HINTS, operation, READERS, V1 } from '#contract/base/operation.ts';

const MATCH_REASONS = [
  'vin_match',
  'pin_match',
  'serial_match',
  'name_similarity',
  'hours_proximity',
  'location_proximity',
  'previous_link',
] as const;

const Suggestion = z.object({
  equipment_id: z.string(),
  unit_number: z.string(),
  confidence: z.number().min(0).max(1),
  reasons: z.array(z.object({ code: z.enum(MATCH_REASONS), detail: z.string(), weight: z.number() })),
});

const DeviceMatch = z
  .object({
    object: z.literal('device_match'),
    serial: z.string().nullable(),
    device_id: z.string().nullable().meta({ description: 'Record id; null if no device of the project matches.' }),
    suggestions: z.array(Suggestion).meta({ description: 'Best first.' }),
  })
  .meta({ id: 'DeviceMatch' });

const ResolvedSerial = z
  .object({
    object: z.literal('resolved_serial'),
    serial: z.string(),
    status: z
      .enum(['resolved', 'unknown', 'ambiguous'])
      .meta({ description: 'Devices in projects without access are reported as unknown.' }),
    device_id: z.string().nullable().meta({ description: 'Record id of the device.' }),
    project_id: z.string().nullable(),
    equipment_id: z.string().nullable(),
  })
  .meta({ id: 'ResolvedSerial' });

const text = z.string().trim().min(1).max(120);

/** Operations on matching devices. */
export const deviceMatchOperations = {
  telemetry_devices_match: operation({
    method: 'POST',
    path: `${V1}/devices/match-suggestions`,
    summary: 'Suggest machines for devices, with reasons; assigns nothing',
    roles: READERS,
    hints: HINTS.READ,
    input: z.object({
      project_id: Id.optional(),
      serials: z.array(text).max(50).optional(),
      device_ids: z
        .array(text)
        .max(50)
        .optional()
        .meta({ description: 'Record ids or device_ids. If neither is given: all devices without a machine.' }),
      min_confidence: z.number().min(0).max(1).default(0.3),
      limit: z.number().int().min(1).max(20).default(3).meta({ description: 'Suggestions per device.' }),
    }),
    output: listOf(DeviceMatch),
    errors: ['project_mismatch'],
  }),
  telemetry_devices_resolve: operation({
    method: 'POST',
    path: `${V1}/telemetry/devices/resolve`,
    summary: 'Resolve device serials within the projects that the key reaches',
    scope: 'node',
    roles: READERS,
    hints: HINTS.READ,
    input: z.object({ serials: z.array(text).min(1).max(500) }),
    output: listOf(ResolvedSerial),
  }),
} as const;
