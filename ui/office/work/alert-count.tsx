/** The number beside "Alerts" in the navigation. */
import { t } from '#ui/languages/texts.ts';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';

/** Shows the number of active alerts that nobody has acknowledged, beside the page name in the navigation. */
export function AlertCount({ session }: { session: Session }) {
  const { data } = usePolled(
    (signal) => session.client.call('alerts_list', { state: 'active', acknowledged: false, limit: 100 }, { signal }),
    3_000,
    [session],
    ['alert'],
  );
  const count = data?.data.length ?? 0;
  if (count === 0) return null;
  const worst = data?.data.some(({ severity }) => severity === 'critical' || severity === 'unknown')
    ? 'critical'
    : 'warning';
  return (
    <span class="count" data-severity={worst}>
      {data?.has_more ? '99+' : count}
      <span class="hidden"> {t('not acknowledged')}</span>
    </span>
  );
}
