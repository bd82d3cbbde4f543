/** Connects the actions of alerts with the tickets and with the broker. */

import type { OwnWork } from '#contract/context.ts';
import { stageAlertTicket } from '#handlers/work/alert-actions.ts';
import type { Performers } from '#watchers/alert-actions.ts';
import type { AlertMessages } from './alert-messages.ts';

/** Returns the functions that execute the actions of alerts. */
export function createPerformers(options: {
  readonly ownWork: OwnWork;
  readonly messages: Pick<AlertMessages, 'execute' | 'change'>;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}): Performers {
  const { ownWork, messages, log } = options;
  return {
    ticket: ({ id, project_id }) => ownWork(project_id, (context) => stageAlertTicket(context, id)),
    mqtt: (alert) => messages.execute(alert),
    changed(alert) {
      messages.change(alert).catch((error: unknown) => {
        log('warn', 'a change of an alert could not be published', { alert_id: alert.id, error: String(error) });
      });
    },
  };
}
