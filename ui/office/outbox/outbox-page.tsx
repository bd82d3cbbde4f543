/** The page Outbox: what this browser keeps, what needs a person, and what was sent last. */
import { useEffect, useState } from 'preact/hooks';
import { joined, moment } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { Empty, Problem } from '#ui/office/base/parts.tsx';
import { errorText, type Session } from '#ui/office/base/session.ts';
import { useNow } from '#ui/office/base/use.ts';
import { type Fact, type Item, isPassOver, MOST_ITEMS } from '#ui/outbox/item.ts';
import type { Outbox, View } from '#ui/outbox/outbox.ts';
import { outbox, passOf, useOutbox } from './deliver.ts';
import { OutboxFull, StateShape } from './outbox-mark.tsx';
import { NEARLY, remedy, stateWords } from './words.ts';

interface Part {
  readonly session: Session;
  readonly item: Item;
}

const use = (act: (box: Outbox) => Promise<void>): void => void outbox().then(act);

/** Acts with the outbox, and shows why that was impossible. */
function useAct() {
  const [problem, setProblem] = useState<string | null>(null);
  const act = (how: (box: Outbox) => Promise<unknown>) => {
    setProblem(null);
    outbox()
      .then(how)
      .catch((error: unknown) => setProblem(errorText(error)));
  };
  return { problem, act };
}

const wordsOf = (fact: Fact, value: string): string => fact.words?.[value] ?? (value || t('Nothing'));

/** The values of a conflict side by side, and the choice. */
function Choose({ session, item }: Part) {
  const { facts, now } = item;
  const isUnread = now === null && item.read !== null;
  const { problem, act } = useAct();
  // The conflict came while nobody was signed in here, so the page could not read what is there now.
  useEffect(() => {
    if (isUnread) act((box) => box.look(item.seq));
  }, [item.seq, isUnread]);
  return (
    <div class="outbox-choice">
      {facts.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>{t('Field')}</th>
              <th>{t('{who} saw', { who: item.who })}</th>
              <th>{t('{who} wrote', { who: item.who })}</th>
              <th>{t('Now')}</th>
            </tr>
          </thead>
          <tbody>
            {facts.map((fact, i) => (
              <tr key={fact.label}>
                <th scope="row">{fact.label}</th>
                <td data-label={t('{who} saw', { who: item.who })}>{fact.was || t('Nothing')}</td>
                <td data-label={t('{who} wrote', { who: item.who })}>{fact.mine || t('Nothing')}</td>
                <td data-label={t('Now')}>{now === null ? t('Not known') : wordsOf(fact, now.values[i] ?? '')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Problem text={problem} />
      <div class="actions">
        <button
          type="button"
          class="large primary"
          onClick={() =>
            act(async (box) =>
              isUnread ? box.look(item.seq) : box.insist(item.seq, session.me.name, await passOf(session)),
            )
          }
        >
          {isUnread ? t('Show what is there now') : t('Write it anyway')}
        </button>
        <button type="button" class="large" onClick={() => act((box) => box.drop(item.seq))}>
          {t('Keep what is there now')}
        </button>
      </div>
    </div>
  );
}

function Refused({ session, item }: Part) {
  const [sure, setSure] = useState(false);
  const { problem, act } = useAct();
  const over = isPassOver(item);
  return (
    <>
      <p class="aside">{remedy(item, session.me.name)}</p>
      <Problem text={problem} />
      <div class="actions">
        {over && item.who === session.me.name && (
          <button
            type="button"
            class="large primary"
            onClick={() => act(async (box) => box.writeAgain(item.seq, await passOf(session)))}
          >
            {t('Write it now')}
          </button>
        )}
        {!over && (
          <button type="button" class="large" onClick={() => use((box) => box.retry(item.seq))}>
            {t('Send it again')}
          </button>
        )}
        <button
          type="button"
          class={sure ? 'large danger' : 'large'}
          onClick={() => (sure ? use((box) => box.drop(item.seq)) : setSure(true))}
        >
          {sure ? t('Delete it for good') : t('Delete it')}
        </button>
      </div>
    </>
  );
}

function Row({ session, item, view, blocked }: Part & { view: View; blocked: boolean }) {
  const now = useNow(session.now);
  const zone = session.project.timezone;
  const [word, text] = stateWords(item, view, blocked);
  return (
    <li class="outbox-item" data-state={item.state}>
      <StateShape state={item.state === 'queued' ? 'waiting' : item.state} />
      <div>
        <h3>{item.title}</h3>
        <p>
          <b>{word}.</b> {text}
        </p>
        <p class="aside">
          {joined(
            t(
              item.gateway_ms === null
                ? 'Written {time} by {who}, by the clock of this device'
                : 'Written {time} by {who}',
              {
                time: moment(item.gateway_ms ?? item.device_ms, now, zone),
                who: item.who,
              },
            ),
            item.photo_bytes > 0 ? t('a photo of {size} kB', { size: Math.ceil(item.photo_bytes / 1_000) }) : null,
          )}
        </p>
        {item.state === 'conflict' && <Choose session={session} item={item} />}
        {item.state === 'refused' && <Refused session={session} item={item} />}
      </div>
    </li>
  );
}

function Group(props: {
  session: Session;
  title: string;
  items: readonly Item[];
  view: View;
  blocked: ReadonlySet<string>;
}) {
  const { session, title, items, view, blocked } = props;
  if (items.length === 0) return null;
  return (
    <section>
      <h2>
        {title} <span class="aside">{items.length}</span>
      </h2>
      <ul class="outbox-items">
        {items.map((item) => (
          <Row
            key={item.seq}
            session={session}
            item={item}
            view={view}
            blocked={item.state === 'queued' && blocked.has(item.subject)}
          />
        ))}
      </ul>
    </section>
  );
}

/** Number of rows of a group that the page draws. */
const MOST_SHOWN = 100;

export function OutboxPage({ session }: { session: Session }) {
  const view = useOutbox();
  const { items } = view;
  const needs = items.filter(({ state }) => state === 'refused' || state === 'conflict');
  const waiting = items.filter(({ state }) => state === 'queued');
  const sent = items.filter(({ state }) => state === 'sent').reverse();
  const blocked = new Set(needs.map(({ subject }) => subject));
  const of = { session, view, blocked };
  return (
    <>
      <div class="head">
        <h1>{t('Outbox')}</h1>
        {waiting.length > 0 && (
          <button type="button" class="large" onClick={() => use(async ({ wake }) => wake())}>
            {t('Send now')}
          </button>
        )}
      </div>
      <p class="aside">
        {t(
          'What people write on this device is stored here first, and then sent. It stays here until the gateway has it, also if you close this page or switch the device off.',
        )}
      </p>
      <OutboxFull />
      {waiting.length >= NEARLY && (
        <p class="aside">
          {t('Room for {n} more change.|Room for {n} more changes.', {
            n: Math.max(0, MOST_ITEMS - waiting.length - needs.length),
          })}
        </p>
      )}
      {items.length === 0 && <Empty title={t('Nothing waits')}>{t('Everything that was written here is sent.')}</Empty>}
      <Group {...of} title={t('Needs you')} items={needs.slice(0, MOST_SHOWN)} />
      <Group {...of} title={t('To send')} items={waiting.slice(0, MOST_SHOWN)} />
      {waiting.length > MOST_SHOWN && (
        <p class="aside">{t('And {n} more to send.', { n: waiting.length - MOST_SHOWN })}</p>
      )}
      <Group {...of} title={t('Sent last')} items={sent.slice(0, 20)} />
    </>
  );
}
