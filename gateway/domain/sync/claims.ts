/**
 * Unique names that two ends gave at the same time. The name document keeps all claims; the holder is the claim with the smallest time. All
 * others keep the name and get a number behind it, until a person renames them.
 */
import { foldText } from '#contract/base/names.ts';
import type { Doc } from '#domain/sync/registers/documents.ts';
import { ruleOfPath } from '#domain/sync/registers/paths.ts';
import { shownOf } from '#domain/sync/registers/registers.ts';
import { kindOf, type SyncEnv } from './env.ts';
import type { Claim, SyncTx } from './store.ts';

/** The fields of each kind whose values are unique in a project; machines share one name space for numbers and aliases. */
const NAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  equipment: { unit_number: 'unit_number', aliases: 'unit_number', serial_number: 'equipment_serial' },
  location: { code: 'location_code' },
  operator: { employee_number: 'operator_number', badge_id: 'operator_badge' },
  mechanic: { employee_number: 'mechanic_number', badge_id: 'mechanic_badge' },
  repair_ticket: { number: 'ticket_number' },
};

/** Returns the names that a document claims, with the time of each claim. A number that is also an alias has the earlier time of the two. */
export function claimsOf(
  env: SyncEnv,
  doc: Pick<Doc, 'collection' | 'object' | 'registers' | 'dead'>,
): Map<string, string> {
  const found = new Map<string, string>();
  if (doc.dead) return found;
  const claim = (space: string, name: unknown, hlc: string): void => {
    if (typeof name !== 'string' || name === '') return;
    const claimed = `${space}/${foldText(name)}`;
    const known = found.get(claimed);
    if (known === undefined || hlc < known) found.set(claimed, hlc);
  };
  if (doc.object === 'shift_report') {
    const fact = doc.registers.get('=')?.[0];
    const { location_id, shift } = (fact?.v ?? {}) as { location_id?: string; shift?: { date: string; name: string } };
    if (fact !== undefined && shift !== undefined)
      claim('shift', `${location_id} ${shift.date} ${shift.name}`, fact.hlc);
    return found;
  }
  const named = NAMED[doc.object];
  if (named === undefined || doc.collection !== 'records') return found;
  const kind = kindOf(env, doc.collection, doc.object);
  for (const [path, register] of doc.registers) {
    const slash = path.indexOf('/');
    const space = named[(slash < 0 ? path : path.slice(0, slash)).replace(/^=/, '')];
    if (space === undefined) continue;
    const { v, hlc } = shownOf(register, ruleOfPath(kind, path)?.rank);
    if (slash < 0) claim(space, v, hlc);
    else if (v === true) claim(space, path.slice(slash + 1), hlc);
  }
  return found;
}

export const compareClaims = (a: Claim, b: Claim): number =>
  a.hlc === b.hlc ? (a.id < b.id ? -1 : 1) : a.hlc < b.hlc ? -1 : 1;

/** Brings the name documents up to date after a document changed. */
export function updateClaims(tx: SyncTx, env: SyncEnv, old: Doc | undefined, doc: Doc): void {
  const before = old === undefined ? new Map<string, string>() : claimsOf(env, old);
  const after = claimsOf(env, doc);
  for (const name of before.keys()) if (!after.has(name)) setClaim(tx, name, doc.id, undefined);
  for (const [name, hlc] of after) if (before.get(name) !== hlc) setClaim(tx, name, doc.id, hlc);
}

function setClaim(tx: SyncTx, name: string, id: string, hlc: string | undefined): void {
  const others = tx.claims(name).filter((claim) => claim.id !== id);
  tx.setClaims(name, hlc === undefined ? others : [...others, { hlc, id }].sort(compareClaims));
}

/** The place of a document among those that claim a name: 1 for the holder. */
export const placeOf = (claims: readonly Claim[], id: string): number =>
  claims.findIndex((claim) => claim.id === id) + 1;
