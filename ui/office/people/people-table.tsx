/** The list of people, with their certificates and current work. */

import { joined } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { certificateWords, type Mechanic, type Operator, type Person, STATUS_WORDS } from './people-text.ts';

function Certificates({ person, today }: { person: Person; today: string }) {
  return (
    <ul class="certs">
      {person.certifications.map((one) => {
        const { text, state } = certificateWords(one, today);
        return (
          <li key={`${one.code}${one.expires_on}`} class={state}>
            {state !== 'good' && <b>{state === 'expired' ? t('Expired') : t('Expires soon')}: </b>}
            {text}
          </li>
        );
      })}
    </ul>
  );
}

/** Shows the current work of a person: the machine of an operator, or the open repair tickets of a mechanic. */
function CurrentWork({ person, unitOf }: { person: Person; unitOf(equipment_id: string): string }) {
  const tickets = (person as Mechanic).open_ticket_ids;
  if (tickets !== undefined)
    return <>{tickets.length === 0 ? '' : t('{n} open repair|{n} open repairs', { n: tickets.length })}</>;
  const machine = (person as Operator).current_equipment_id;
  return <>{machine === null ? '' : unitOf(machine)}</>;
}

export function PeopleTable(props: {
  people: readonly Person[];
  chosen: string | null;
  today: string;
  /** Returns the unit number of a machine. */
  unitOf(equipment_id: string): string;
  onChoose(id: string | null): void;
}) {
  return (
    <div class="table stacks people-rows">
      <table>
        <thead>
          <tr>
            {[t('Name'), t('Crew'), t('Status'), t('Certificates'), t('Working on')].map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.people.map((one) => (
            <tr key={one.id} aria-selected={props.chosen === one.id}>
              <th scope="row">
                <button
                  type="button"
                  class="link"
                  aria-expanded={props.chosen === one.id}
                  onClick={() => props.onChoose(props.chosen === one.id ? null : one.id)}
                >
                  {one.name}
                </button>
                <small>{joined(one.employee_number, one.badge_id)}</small>
              </th>
              <td data-label={t('Crew')}>{one.crew ?? ''}</td>
              <td data-label={t('Status')}>
                <span class={one.status === 'active' ? '' : 'said'}>{t(STATUS_WORDS[one.status])}</span>
              </td>
              <td class="wrap" data-label={t('Certificates')}>
                <Certificates person={one} today={props.today} />
              </td>
              <td data-label={t('Working on')}>
                <CurrentWork person={one} unitOf={props.unitOf} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
