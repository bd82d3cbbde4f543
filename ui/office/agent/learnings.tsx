/** What runs of the agent learned about the site. Only runs write it, so the page has no button for it. */
import type { Output } from '#contract/operations.ts';
import { moment } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { toldOrEnglish } from '#ui/languages/told.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';

type Evidence = Output<'learnings_get'>['evidence'][number];

const evidenceText = ({ source, excerpt }: Evidence): string => (excerpt === null ? source : `${source}: “${excerpt}”`);

const EVERY_MS = 30_000;
const MOST = 50;

export function Learnings({ session }: { session: Session }) {
  const { client, project } = session;
  const { data, problem } = usePolled(
    (signal) => client.call('learnings_list', { status: 'active', limit: MOST }, { signal }),
    EVERY_MS,
    [session],
  );
  const now = session.now();
  return (
    <section class="panel-box" aria-label={t('What the agent learned')}>
      <h2>{t('What the agent learned')}</h2>
      <p class="aside">
        {t(
          'Facts about the site that runs of the agent found. Later runs get them. To remove one, ask the agent, or undo the task that found it.',
        )}
      </p>
      <Problem text={problem} />
      {data?.data.length === 0 && <p>{t('No run has learned anything yet.')}</p>}
      <dl class="facts">
        {(data?.data ?? []).map(({ id, fact, created_at, evidence }) => (
          <div key={id}>
            <dt>{moment(Date.parse(created_at), now, project.timezone)}</dt>
            <dd>
              {toldOrEnglish(fact)}
              {evidence.length > 0 && <div class="aside">{evidence.map(evidenceText).join(' · ')}</div>}
            </dd>
          </div>
        ))}
      </dl>
      {data?.has_more && <p class="aside">{t('The list shows the newest {count}.', { count: MOST })}</p>}
    </section>
  );
}
