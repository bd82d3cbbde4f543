/** The parameter groups on the buses of a device, and frames that the gateway ignores. */
import { Age, type BusInventory, hex, thousands } from './bus-values.tsx';

type Group = BusInventory['groups'][number];

const FILTERS = [
  ['all', 'All'],
  ['read', 'Decoded'],
  ['unread', 'Not decoded'],
] as const;
export type Filter = (typeof FILTERS)[number][0];

function rateOf({ per_s }: Group, fresh: boolean): string {
  if (!fresh || per_s === null) return '—';
  return per_s >= 10 ? per_s.toFixed(0) : per_s.toFixed(per_s >= 1 ? 1 : 2);
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
        <h2>Parameter groups</h2>
        <div class="buttons">
          {FILTERS.map(([id, name]) => (
            <button key={id} type="button" aria-pressed={filter === id} onClick={() => props.onFilter(id)}>
              {name}
            </button>
          ))}
        </div>
      </div>
      {inventory.groups.length === 0 ? (
        <p class="aside">{filter === 'unread' ? 'The gateway decodes all groups on this bus.' : 'No groups yet.'}</p>
      ) : (
        <div class="table">
          <table>
            <thead>
              <tr>
                <th scope="col">Group</th>
                <th scope="col">Sent by</th>
                <th scope="col" class="figure">
                  Per second
                </th>
                <th scope="col" class="figure">
                  Frames
                </th>
                <th scope="col">Last message</th>
                <th scope="col">Gateway</th>
              </tr>
            </thead>
            <tbody>
              {inventory.groups.map((one) => (
                <tr key={`${one.bus}:${one.source_address}:${one.pgn}`}>
                  <th scope="row">
                    {one.acronym ?? 'Unknown'} <small class="mono">{`${one.pgn} · 0x${hex(one.pgn, 4)}`}</small>
                  </th>
                  <td>
                    CAN {one.bus}, address {one.source_address}
                  </td>
                  <td class="figure">{rateOf(one, fresh)}</td>
                  <td class="figure">{thousands(one.frames)}</td>
                  <td>
                    <Age at={one.last_heard_at} now={now} />
                  </td>
                  <td class={one.decoded ? '' : 'said'}>{one.decoded ? 'decoded' : 'not decoded'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {more > 0 && <p class="aside">This list does not show {more} more groups, which have fewer frames.</p>}
    </>
  );
}

/** Frames that the gateway cannot decode or count. */
export function IgnoredFrames({ inventory }: { inventory: BusInventory }) {
  const { transport, not_counted } = inventory;
  const notes = [
    transport.lost + transport.aborted > 0 &&
      `${thousands(transport.lost + transport.aborted)} multi-packet messages were incomplete; ${thousands(transport.completed)} were complete.`,
    transport.extended > 0 &&
      `${thousands(transport.extended)} frames belong to messages over 1,785 bytes (extended transport). The gateway does not decode them.`,
    not_counted > 0 && `${thousands(not_counted)} frames are not counted because these tables are full.`,
  ].filter((one) => one !== false);
  return notes.length === 0 ? null : (
    <ul class="left-out">
      {notes.map((one) => (
        <li key={one}>{one}</li>
      ))}
    </ul>
  );
}
