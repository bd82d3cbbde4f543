/** Which cleared alerts the people of a site have read, and which they have taken off the list. The gateway keeps it for all of them. */
import { t } from '#ui/languages/texts.ts';
import { may, type Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';
import type { Alert } from './alert-text.ts';
import { useWrite } from './write.ts';

const EVERY_MS = 10_000;
/** The most alerts that one press marks. */
const MOST = 500;

export interface AlertMarkers {
  /** True if the person may mark alerts. */
  readonly mayMark: boolean;
  readonly busy: boolean;
  readonly problem: string | null;
  isRead(alert: Alert): boolean;
  isRemoved(alert: Alert): boolean;
  read(alerts: readonly Alert[]): void;
  remove(alert: Alert): void;
}

/** An acknowledged alert was read. Before the markers are read, no alert counts as new. */
export function useAlertMarkers(session: Session): AlertMarkers {
  const { client, project } = session;
  const { id } = project;
  const { data, reload } = usePolled(
    (signal) => client.call('preferences_get', { id }, { signal }),
    EVERY_MS,
    [session],
    ['preference'],
  );
  const sending = useWrite(t('Not marked: the gateway does not answer. Press again later.'));
  const mark = (as: 'read' | 'cleared', alerts: readonly Alert[]) =>
    sending.write(async (once) => {
      // A marker that is sent twice changes nothing, so the call needs no key.
      const now = new Date(session.now()).toISOString();
      const markers = Object.fromEntries(alerts.slice(0, MOST).map((alert) => [alert.id, now]));
      await client.call('preferences_update', { id, notifications: { [as]: markers } }, { signal: once.signal });
      reload();
    });
  const { read = {}, cleared = {}, read_before = null } = data?.notifications ?? {};
  return {
    mayMark: data !== null && may(session, 'preferences_update'),
    busy: sending.busy,
    problem: sending.problem,
    isRead: (alert) =>
      data === null ||
      alert.acknowledged_at !== null ||
      alert.id in read ||
      alert.id in cleared ||
      (read_before !== null && (alert.cleared_at ?? alert.raised_at) <= read_before),
    isRemoved: (alert) => alert.id in cleared,
    read: (alerts) => mark('read', alerts),
    remove: (alert) => mark('cleared', [alert]),
  };
}
