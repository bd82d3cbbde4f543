/** The ids of the skills that the gateway ships. Screens offer them, so they stand apart from the texts of the skills. */
export const CATALOG_SKILL_IDS = [
  'setup',
  'shift_report',
  'ticket_from_code',
  'fault_explanation',
  'daily_summary',
  'device_match',
  'why_silent',
] as const;

export type CatalogSkillId = (typeof CATALOG_SKILL_IDS)[number];
