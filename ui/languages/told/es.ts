/** All texts of the gateway in Spanish. */

import { RULES_ES } from '#ui/languages/told/rules/es.ts';
import { ACCESS_ES } from './es-access.ts';
import { CHAIN_ES } from './es-chain.ts';
import { HEALTH_ES } from './es-health.ts';
import { LINK_ES } from './es-link.ts';
import { NOTES_ES } from './es-notes.ts';
import { WORK_ES } from './es-work.ts';

export const TOLD_ES = {
  ...ACCESS_ES,
  ...WORK_ES,
  ...LINK_ES,
  ...CHAIN_ES,
  ...HEALTH_ES,
  ...NOTES_ES,
  ...RULES_ES,
};
