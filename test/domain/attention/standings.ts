/** The ranking of machines for tests of boards. */
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { MachineTile } from '#contract/site/live.ts';
import { type OpenItems, openItemsOf } from '#domain/attention/open-items.ts';
import { type Ranked, rank } from '#domain/attention/ranking.ts';
import { type AttentionMachine, scoreOf } from '#domain/attention/score.ts';

/** What boards show of the ranking of these machines, if their reasons have lasted long enough. */
export function standings(
  machines: readonly AttentionMachine[],
  live: (id: string) => EquipmentLive | undefined,
  items: OpenItems,
  now_ms: number,
): (id: string) => Pick<MachineTile, 'reasons' | 'attention'> {
  const open = openItemsOf(items);
  const moment = {
    now_ms,
    in_shift: true,
    mechanics: new Map<string, string>(),
    means: () => undefined,
    low: () => [],
  };
  const scored = machines.map((machine) => scoreOf(machine, live(machine.id), open(machine.id), moment));
  const later = rank(rank(undefined, scored, now_ms), scored, now_ms + 10_000);
  return (id) => {
    const { reasons, score, place } = later.machines.get(id) as Ranked;
    return place === null ? { reasons } : { reasons, attention: { score, place } };
  };
}
