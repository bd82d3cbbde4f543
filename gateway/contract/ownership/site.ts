/** Ownership of projects, boards, settings, keys and the gateway itself. */
import type { DashboardData, PlaylistData } from '#contract/site/board.ts';
import type { PreferenceData } from '#contract/site/preference.ts';
import type { Project } from '#contract/site/project.ts';
import { MEDIA, type Media } from './fleet.ts';
import { FACT, type KindRule, kind, kinds, LATER, MACHINERY, ORDERED, OWN, PEOPLE, SET } from './rule.ts';

type ProjectData = Pick<
  Project,
  | 'name'
  | 'prompt'
  | 'url'
  | 'timezone'
  | 'units'
  | 'language'
  | 'shift_pattern'
  | 'working_target_percent'
  | 'simulated'
>;

export const SITE: readonly KindRule[] = [
  ...kind<ProjectData>('records', 'project', 'never', {
    name: PEOPLE,
    prompt: PEOPLE,
    url: PEOPLE,
    timezone: PEOPLE,
    units: PEOPLE,
    language: PEOPLE,
    shift_pattern: PEOPLE,
    working_target_percent: PEOPLE,
    simulated: MACHINERY,
  }),
  ...kind<DashboardData & Media>('records', 'dashboard', 'edit_wins', {
    name: PEOPLE,
    description: PEOPLE,
    audience: PEOPLE,
    theme: PEOPLE,
    widgets: ORDERED,
    ...MEDIA,
  }),
  ...kind<PlaylistData>('records', 'playlist', 'edit_wins', {
    name: PEOPLE,
    items: ORDERED,
    default_duration_s: PEOPLE,
    transition: PEOPLE,
    shuffle: PEOPLE,
    takeover: PEOPLE,
    display_group_ids: SET,
  }),
  ...kind<PreferenceData>('records', 'preference', 'never', { notifications: LATER }),
  ...kinds('events', 'bound', FACT, 'audit'),
  ...kinds('events', 'never', FACT, 'sync_choice'),
  ...kinds(
    'local',
    'node',
    OWN,
    'access_time',
    'claim_code',
    'display_share',
    'display_pairing',
    'display',
    'enrolment',
    'guard',
    'invitation',
    'key',
    'fault_photo_tally',
    'fault_receipt',
    'key_use',
    'listener',
    'local_code',
    'name',
    'pin_guesses',
    'sealing_keys',
    'sync_box',
    'sync_budget',
    'courier_bundle',
    'courier_files',
    'sync_contact',
    'sync_link',
    'sync_live_view',
    'sync_usage',
    'sync_project',
    'sync_receipt',
    'tablet',
    'tablet_link',
    'user',
  ),
];
