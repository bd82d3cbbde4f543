/** The parameter groups on the buses of a device, and frames that the gateway ignores. */

import { decimals, t, type Word } from '#ui/languages/texts.ts';
import { AsIs, WideTable } from '#ui/office/base/parts.tsx';
import { Age, type BusInventory, hex, thousands } from './bus-values.tsx';

type Group = BusInventory['groups'][number];

const FILTERS = [
  ['all', 'All'],
  ['read', 'Decoded'],
  ['unread', 'Not decoded'],
] as const satisfies readonly (readonly [string, Word])[];
export type Filter = (typeof FILTERS)[number][0];

function rateOf({ per_s }: Group, fresh: boolean): string {
  if (!fresh || per_s === null) return '—';
  return decimals(per_s.toFixed(per_s >= 10 ? 0 : per_s >= 1 ? 1 : 2));
}

export function ParameterGroups(props: {
  inventory: BusInventory;
  filter: Filter;
  onFilter(to: Filter): void;
  fresh: boolean;
  now: number;
}) {
  const { inventory, filter, fresh, now } = props;
  const more = inventory.groups_total - inventory.groups.length;
  return (
    <>
      <div class="head">
        <h2>{t('Parameter groups')}</h2>
        <div class="buttons">
          {FILTERS.map(([id, name]) => (
            <button key={id} type="button" aria-pressed={filter === id} onClick={() => props.onFilter(id)}>
              {t(name)}
            </button>
          ))}
        </div>
      </div>
      {inventory.groups.length === 0 ? (
        <p class="aside">{t(filter === 'unread' ? 'The gateway decodes all groups on this bus.' : 'No groups yet.')}</p>
      ) : (
        <WideTable title={t('Parameter groups')}>
          <thead>
            <tr>
              <th scope="col">{t('Group')}</th>
              <th scope="col">{t('Sent by')}</th>
              <th scope="col" class="figure">
                {t('Per second')}
              </th>
              <th scope="col" class="figure">
                {t('Frames')}
              </th>
              <th scope="col">{t('Last message')}</th>
              <th scope="col">{t('Gateway')}</th>
            </tr>
          </thead>
          <tbody>
            {inventory.groups.map((one) => (
              <tr key={`${one.bus}:${one.source_address}:${one.pgn}`}>
                <th scope="row">
                  {one.acronym === null ? t('Unknown') : <AsIs>{one.acronym}</AsIs>}{' '}
                  <small class="mono">{`${one.pgn} · 0x${hex(one.pgn, 4)}`}</small>
                </th>
                <td>{t('CAN {bus}, address {address}', { bus: one.bus, address: one.source_address })}</td>
                <td class="figure">{rateOf(one, fresh)}</td>
                <td class="figure">{thousands(one.frames)}</td>
                <td>
                  <Age at={one.last_heard_at} now={now} />
                </td>
                <td class={one.decoded ? '' : 'said'}>{t(one.decoded ? 'decoded' : 'not decoded')}</td>
              </tr>
            ))}
          </tbody>
        </WideTable>
      )}
      {more > 0 && (
        <p class="aside">
          {t(
            'This list does not show {n} more group, which has fewer frames.|This list does not show {n} more groups, which have fewer frames.',
            { n: more },
          )}
        </p>
      )}
    </>
  );
}

/** Frames that the gateway cannot decode or count. */
export function IgnoredFrames({ inventory }: { inventory: BusInventory }) {
  const { transport, not_counted } = inventory;
  const notes = [
    transport.lost + transport.aborted > 0 &&
      t(
        '{n} multi-packet message was incomplete. Complete: {complete}.|{n} multi-packet messages were incomplete. Complete: {complete}.',
        {
          n: thousands(transport.lost + transport.aborted),
          complete: thousands(transport.completed),
        },
      ),
    transport.extended > 0 &&
      t(
        '{n} frame belongs to a message over 1,785 bytes (extended transport). The gateway does not decode it.|{n} frames belong to messages over 1,785 bytes (extended transport). The gateway does not decode them.',
        {
          n: thousands(transport.extended),
        },
      ),
    not_counted > 0 &&
      t(
        '{n} frame is not counted because these tables are full.|{n} frames are not counted because these tables are full.',
        { n: thousands(not_counted) },
      ),
  ].filter((one) => one !== false);
  return notes.length === 0 ? null : (
    <ul class="left-out">
      {notes.map((one) => (
        <li key={one}>{one}</li>
      ))}
    </ul>
  );
}
