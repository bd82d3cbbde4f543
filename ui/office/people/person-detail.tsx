/** The panel of one person: fields, edit form, status and log. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { may, newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import { PersonForm } from './people-form.tsx';
import { PersonLog } from './people-log.tsx';
import { certificateWords, type Mechanic, type Person, ROSTERS, type Roster } from './people-text.ts';

interface Place {
  readonly id: string;
  readonly name: string;
}

/** Returns the name of a place. Returns "…" until the list of places is read, and the id if the list does not have the place. */
function placeName(places: readonly Place[] | null, id: string | null): string | null {
  if (id === null) return null;
  return places === null ? '…' : (places.find((one) => one.id === id)?.name ?? id);
}

export function PersonDetail(props: {
  session: Session;
  roster: Roster;
  person: Person;
  /** All locations; null until the gateway has sent them. */
  places: readonly Place[] | null;
  today: string;
  onChange(): void;
}) {
  const { session, roster, person } = props;
  const panel = useRef<HTMLElement>(null);
  // On a narrow page the panel is above the list: scroll to it.
  useEffect(() => panel.current?.scrollIntoView({ block: 'nearest' }), []);
  const [changing, setChanging] = useState(false);
  const { busy, problem, send } = useSend();
  const status = person.status === 'inactive' ? ('active' as const) : ('inactive' as const);
  const facts: readonly (readonly [string, string | null])[] = [
    [t('Number'), person.employee_number],
    [t('Badge'), person.badge_id],
    [t('Phone'), person.phone],
    [t('Crew or shift'), person.crew],
    [t('Language'), person.language],
    [t('Place'), placeName(props.places, person.location_id)],
    [t('Trades'), (person as Mechanic).trades?.join(', ') ?? null],
    [t('Certificates'), person.certifications.map((one) => certificateWords(one, props.today).text).join('; ')],
  ];
  return (
    <section ref={panel} class="detail-panel person" aria-label={person.name}>
      <div class="head">
        <h2>{person.name}</h2>
        {may(session, ROSTERS[roster].update) && (
          <div class="buttons">
            <button type="button" onClick={() => setChanging(!changing)} aria-expanded={changing}>
              {changing ? t('Close') : t('Edit')}
            </button>
            <button
              type="button"
              disabled={busy}
              onClick={() =>
                send(async () => {
                  const once = { if_match: person.revision, idempotency_key: newIdempotencyKey() };
                  await session.client.call(ROSTERS[roster].update, { id: person.id, status }, once);
                  props.onChange();
                })
              }
            >
              {status === 'inactive' ? t('Make inactive') : t('Make active')}
            </button>
          </div>
        )}
      </div>
      <Problem text={problem} />
      {changing ? (
        <PersonForm
          session={session}
          roster={roster}
          person={person}
          places={props.places ?? []}
          onDone={() => {
            setChanging(false);
            props.onChange();
          }}
        />
      ) : (
        <dl class="facts">
          {facts.map(
            ([name, text]) =>
              text !== null &&
              text !== '' && (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{text}</dd>
                </div>
              ),
          )}
        </dl>
      )}
      <PersonLog session={session} roster={roster} person={person} />
    </section>
  );
}
