/** The ids of the skills whose work rules can do without a model. */
export const RULE_SKILL_IDS = [
  'shift_report',
  'ticket_from_code',
  'fault_explanation',
  'daily_summary',
  'device_match',
  'why_silent',
] as const;
export type RuleSkillId = (typeof RULE_SKILL_IDS)[number];

/** The ids of the skills that the gateway ships. Screens offer them, so they stand apart from the texts of the skills. */
export const CATALOG_SKILL_IDS = ['setup', ...RULE_SKILL_IDS] as const;

export type CatalogSkillId = (typeof CATALOG_SKILL_IDS)[number];
