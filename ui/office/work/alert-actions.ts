/** The words for what a rule did when it raised an alert, and why an alert ended. */
import { t, type Word } from '#ui/languages/texts.ts';
import type { Alert } from './alert-text.ts';

const ACTION_WORDS = {
  webhook: 'Webhooks',
  ticket: 'Repair ticket',
  mqtt: 'Lights and horns',
  unknown: 'Unknown action',
} as const satisfies Record<string, Word>;
const SKIPPED = {
  unpaired_machine: 'skipped, because the device has no machine',
  late: 'skipped, because the data was old',
  no_device: 'skipped, because there is no device',
  cleared: 'skipped, because the alert was over',
  not_taken: 'skipped, because no device took the message in seven days',
  unknown: 'skipped',
} as const satisfies Record<string, Word>;

/**
 * Returns the results of the actions of an alert: "Repair ticket done; Lights and horns waiting". A site without webhooks has nothing to be
 * told about them.
 */
export function actionsWords({ actions }: Alert): string {
  return actions
    .flatMap(({ action, status, reason, missed = [] }) => {
      if (reason === 'no_endpoint') return [];
      const done = missed.length === 0 ? t('done') : t('done, but not by {missed}', { missed: missed.join(', ') });
      const result =
        status === 'executed' ? done : status === 'pending' ? t('waiting') : t(SKIPPED[reason ?? 'unknown']);
      return [`${t(ACTION_WORDS[action])} ${result}`];
    })
    .join('; ');
}

const BECAUSE: Readonly<Record<NonNullable<Alert['cleared_because']>, Word>> = {
  back: 'the value is normal again',
  data: 'data arrived again',
  superseded: 'newer data raised it again',
  joined: 'the alert on its trouble code contains it',
  rule_changed: 'the rule was changed',
  machine_changed: 'the machine was changed',
  paired: 'the device was linked to a machine',
  service_done: 'the service was recorded',
  plan_changed: 'the maintenance plan was changed',
  meter_corrected: 'a person corrected the meter',
  unknown: 'for an unknown reason',
};

export function clearedBecause(because: Alert['cleared_because']): string {
  return because === null ? t('no reason given') : t(BECAUSE[because]);
}
