/** All texts of the gateway in French. */

import { RULES_FR } from '#ui/languages/told/rules/fr.ts';
import { ACCESS_FR } from './fr-access.ts';
import { CHAIN_FR } from './fr-chain.ts';
import { HEALTH_FR } from './fr-health.ts';
import { LINK_FR } from './fr-link.ts';
import { NOTES_FR } from './fr-notes.ts';
import { WORK_FR } from './fr-work.ts';

export const TOLD_FR = {
  ...ACCESS_FR,
  ...WORK_FR,
  ...LINK_FR,
  ...CHAIN_FR,
  ...HEALTH_FR,
  ...NOTES_FR,
  ...RULES_FR,
};
