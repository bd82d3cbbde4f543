/** The live state of a machine that has never sent data. */
import type { EquipmentLive } from './equipment.ts';

export const SILENT: EquipmentLive = {
  live_status: 'unknown',
  live_status_since: null,
  last_live_data_at: null,
  values: {},
  dtcs: null,
  dtc_counts: null,
};
