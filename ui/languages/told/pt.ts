/** All texts of the gateway in Brazilian Portuguese. */

import { RULES_PT } from '#ui/languages/told/rules/pt.ts';
import { ACCESS_PT } from './pt-access.ts';
import { CHAIN_PT } from './pt-chain.ts';
import { HEALTH_PT } from './pt-health.ts';
import { LINK_PT } from './pt-link.ts';
import { NOTES_PT } from './pt-notes.ts';
import { WORK_PT } from './pt-work.ts';

export const TOLD_PT = {
  ...ACCESS_PT,
  ...WORK_PT,
  ...LINK_PT,
  ...CHAIN_PT,
  ...HEALTH_PT,
  ...NOTES_PT,
  ...RULES_PT,
};
