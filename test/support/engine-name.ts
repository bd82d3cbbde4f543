/** The NAME (J1939-81) of the engine in tests that send an address claim. */
import type { encodeName } from '#domain/j1939/name.ts';

export const ENGINE_NAME: Parameters<typeof encodeName>[0] = {
  identity_number: 4711,
  manufacturer_code: 10,
  ecu_instance: 0,
  function_instance: 0,
  function: 0,
  vehicle_system: 0,
  vehicle_system_instance: 0,
  industry_group: 3,
  arbitrary_address: true,
};
