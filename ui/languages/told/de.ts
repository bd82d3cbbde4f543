/** All texts of the gateway in German. */

import { RULES_DE } from '#ui/languages/told/rules/de.ts';
import { ACCESS_DE } from './de-access.ts';
import { CHAIN_DE } from './de-chain.ts';
import { HEALTH_DE } from './de-health.ts';
import { LINK_DE } from './de-link.ts';
import { NOTES_DE } from './de-notes.ts';
import { WORK_DE } from './de-work.ts';

export const TOLD_DE = {
  ...ACCESS_DE,
  ...WORK_DE,
  ...LINK_DE,
  ...CHAIN_DE,
  ...HEALTH_DE,
  ...NOTES_DE,
  ...RULES_DE,
};
