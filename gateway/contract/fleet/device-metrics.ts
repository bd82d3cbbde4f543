/** The counters and measurements of a device. */
import { z } from 'zod';
import { Timestamp } from '#contract/base/common.ts';

export const DeviceMetrics = z
  .object({
    messages_total: z.number().int(),
    bytes_total: z.number().int(),
    frames_total: z.number().int(),
    decode_errors_total: z.number().int().meta({ description: 'Payloads or lines that could not be parsed.' }),
    dropped_total: z.number().int(),
    duplicates_total: z.number().int(),
    late_total: z.number().int(),
    buffer_depth: z.number().int().nullable(),
    gnss_clock: z
      .object({
        ahead_ms: z.number().meta({ description: 'Device clock minus its GNSS time.', unit: 'ms' }),
        uncertainty_ms: z.number().meta({ unit: 'ms' }),
        measured_at: Timestamp.meta({ description: 'Minute of the readings.' }),
      })
      .optional()
      .meta({ description: 'From live GNSS frames of the device; absent without them.' }),
    clock_skew_ms: z.number().nullable().meta({ description: 'Device clock minus gateway clock.', unit: 'ms' }),
    last_rtt_ms: z.number().nullable(),
    rate_per_min: z.number().nullable().meta({ description: 'Messages per minute over the last minute.' }),
  })
  .meta({ id: 'DeviceMetrics' });
export type DeviceMetrics = z.infer<typeof DeviceMetrics>;
