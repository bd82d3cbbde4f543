import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KindRule } from '#contract/ownership/rule.ts';
import { OWNERSHIP } from '#contract/ownership/table.ts';
import { packRegisters, unpackRegisters } from '#domain/sync/pack.ts';
import { type Doc, deleteDoc, joinPart, partOf, toGrave } from '#domain/sync/registers/documents.ts';
import { createDoc, editDoc } from '#domain/sync/registers/edit.ts';
import { inboxOf } from '#domain/sync/registers/inbox.ts';
import { assemble, decompose } from '#domain/sync/registers/paths.ts';
import {
  joinRegister,
  MOST_ANCESTORS,
  type Register,
  shownOf,
  writeRegister,
} from '#domain/sync/registers/registers.ts';

const MACHINE = OWNERSHIP.kind('records', 'equipment') as KindRule;
const TICKET = OWNERSHIP.kind('records', 'repair_ticket') as KindRule;
const BOARD = OWNERSHIP.kind('records', 'dashboard') as KindRule;
const A = 'gw_a.1.x';
const B = 'gw_b.1.y';
const at = (n: number, life = A) => ({ life, hlc: n.toString(16).padStart(16, '0') });
const machine = (data = {}) =>
  createDoc(
    MACHINE,
    { collection: 'records', id: 'eq_1', object: 'equipment' },
    { name: 'Truck', unit_number: 'HT-1', aliases: [], status: 'available', labels: { crew: 'a' }, ...data },
    at(1),
  ).doc;

function joined(a: Doc, b: Doc): Doc {
  const result = joinPart(a, b);
  assert.ok('doc' in result);
  return result.doc;
}

const change = (doc: Doc, kind: KindRule, data: object, n: number, life = A): Doc =>
  editDoc(kind, doc, { ...assemble(kind, doc.registers), ...data }, at(n, life)).doc;

test('[Y2] registers that join in any order, any number of times, give one result', () => {
  // Writes of three authors: each sees some of the values that are there.
  const steps = fc.array(fc.tuple(fc.nat(2), fc.nat(4), fc.nat(5)), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(steps, fc.constantFrom('name', '!n', '=n', '^n'), (list, path) => {
      const ends: (Register | undefined)[] = [undefined, undefined, undefined];
      const all: Register[] = [];
      for (const [i, [end, from, v]] of list.entries()) {
        const seen = all[from];
        const own = ends[end];
        const base = seen === undefined || own === undefined ? (own ?? seen) : joinRegister(path, own, seen);
        const written = writeRegister(path, base, v, at(i + 1, `gw_${end}.1.t`));
        ends[end] = written;
        all.push(written);
      }
      const join = (of: readonly Register[]) => of.reduce((a, b) => joinRegister(path, a, b));
      const forward = join(all);
      assert.deepEqual(join([...all].reverse()), forward);
      assert.deepEqual(join([...all, ...all]), forward);
      assert.deepEqual(joinRegister(path, join(all.slice(0, 3)), join(all)), forward);
    }),
  );
});

test('[Y12] two people change two fields, and both changes stay; two values of one field stay side by side', () => {
  const start = machine();
  const mine = change(start, MACHINE, { name: 'Hauler' }, 2);
  const theirs = change(change(start, MACHINE, { status: 'down' }, 3, B), MACHINE, { name: 'Big truck' }, 4, B);
  const both = joined(mine, theirs);
  assert.equal(both.vid, joined(theirs, mine).vid);
  assert.deepEqual(assemble(MACHINE, both.registers), {
    ...assemble(MACHINE, start.registers),
    name: 'Big truck',
    status: 'down',
  });
  const [entry] = inboxOf(both);
  assert.deepEqual([entry?.path, entry?.values.map(({ v }) => v)], ['name', ['Hauler', 'Big truck']]);
});

test('[Y13] a person who saw both values chooses, and the losing value is an ancestor', () => {
  const start = machine();
  const both = joined(change(start, MACHINE, { name: 'x' }, 2), change(start, MACHINE, { name: 'y' }, 3, B));
  const data = { ...assemble(MACHINE, both.registers), name: 'y' };
  const { doc } = editDoc(MACHINE, both, data, at(5), ['name']);
  assert.deepEqual(inboxOf(doc), []);
  const [value] = doc.registers.get('name') ?? [];
  for (const { id } of both.registers.get('name') ?? []) assert.ok(value?.anc.includes(id));
});

test('[Y14] equal values of two people are no conflict', () => {
  const start = machine();
  const both = joined(change(start, MACHINE, { name: 'x' }, 2), change(start, MACHINE, { name: 'x' }, 3, B));
  assert.equal(both.registers.get('name')?.length, 2);
  assert.deepEqual(inboxOf(both), []);
});

test('[Y53] of two statuses at one time screens show the graver one', () => {
  const start = machine();
  const both = joined(
    change(start, MACHINE, { status: 'down' }, 2),
    change(start, MACHINE, { status: 'in_use' }, 9, B),
  );
  assert.equal(assemble(MACHINE, both.registers).status, 'down');
  const gone = joined(
    change(start, MACHINE, { status: 'decommissioned' }, 9),
    change(start, MACHINE, { status: 'in_use' }, 2, B),
  );
  assert.equal(assemble(MACHINE, gone.registers).status, 'in_use');
});

test('[Y15] an edit beside a deletion survives, and the deletion stands in the inbox', () => {
  const name = { collection: 'records', id: 'dash_1', object: 'dashboard' };
  const start = createDoc(BOARD, name, { name: 'Pit', widgets: [{ id: 'w1' }], theme: 'tv-dark' }, at(1)).doc;
  const deleted = deleteDoc(start, at(2));
  assert.ok(deleted.dead);
  const edited = change(start, BOARD, { name: 'Pit 2' }, 3, B);
  const both = joined(deleted, edited);
  assert.equal(both.dead, false);
  assert.deepEqual(
    inboxOf(both).map(({ kind }) => kind),
    ['deletion'],
  );
  assert.ok(joined(deleted, start).dead, 'an old copy does not bring it back');
});

test('[Y15] who brings a record back that two people deleted decides about both deletions', () => {
  const start = createDoc(
    BOARD,
    { collection: 'records', id: 'dash_1', object: 'dashboard' },
    { name: 'Pit', widgets: [], theme: 'tv-dark' },
    at(1),
  ).doc;
  const both = joined(deleteDoc(start, at(2)), deleteDoc(change(start, BOARD, { name: 'Pit 2' }, 2, B), at(3, B)));
  assert.deepEqual([both.dead, both.registers.get('_deleted')?.length], [true, 2]);
  const back = change(both, BOARD, { theme: 'tv-light' }, 4);
  assert.deepEqual(
    back.registers.get('_deleted')?.map(({ v }) => v),
    [null],
  );
  assert.deepEqual(inboxOf(back), []);
  assert.deepEqual(inboxOf(joined(back, both)), [], 'no deletion comes back to the inbox');
});

test('[Y54] a grave keeps an old copy deleted, and needs the whole document of an author who edited it', () => {
  const name = { collection: 'records', id: 'dash_1', object: 'dashboard' };
  const start = createDoc(BOARD, name, { name: 'Pit', widgets: [], theme: 'tv-dark' }, at(1)).doc;
  const later = change(start, BOARD, { name: 'Pit 2' }, 2);
  const grave = toGrave(deleteDoc(later, at(3)));
  assert.equal(grave.registers.size, 1);
  assert.equal(grave.vid, deleteDoc(later, at(3)).vid);
  assert.ok(joined(grave, start).grave, 'a value that the deleted one had replaced does not bring it back');
  const edited = change(start, BOARD, { theme: 'tv-light' }, 9, B);
  assert.deepEqual(joinPart(grave, partOf(edited, ['theme'])), { missing: true });
  const revived = joined(grave, edited);
  assert.equal(revived.dead, false);
  assert.equal(assemble(BOARD, revived.registers).theme, 'tv-light');
});

test('[Y16] moves of a ticket at two ends fold by the table of states, in any order, and a skipped move is shown', () => {
  const data = {
    number: 'RT-1',
    title: 'Leak',
    status: 'flagged',
    hold_reason: null,
    started_at: null,
    labor: [],
    parts: [],
  };
  const start = createDoc(TICKET, { collection: 'records', id: 'rt_1', object: 'repair_ticket' }, data, at(1)).doc;
  const begun = change(start, TICKET, { status: 'in_progress', started_at: 'monday' }, 2);
  const canceled = change(start, TICKET, { status: 'canceled' }, 3, B);
  const fixed = change(begun, TICKET, { status: 'fixed' }, 4);
  const all = joined(joined(canceled, fixed), begun);
  assert.equal(all.vid, joined(fixed, canceled).vid);
  const shown = assemble(TICKET, all.registers);
  assert.deepEqual([shown.status, shown.started_at], ['canceled', 'monday']);
  assert.deepEqual(
    inboxOf(all).map(({ kind, values }) => [kind, (values[0]?.v as { to: string } | undefined)?.to]),
    [['step', 'fixed']],
  );
});

test('[Y55] entries of a list join by their ids, and the order is one value', () => {
  const name = { collection: 'records', id: 'dash_1', object: 'dashboard' };
  const [w1, w2, w3] = ['w1', 'w2', 'w3'].map((id) => ({ id, title: id }));
  const start = createDoc(BOARD, name, { name: 'Pit', widgets: [w1, w2], theme: 'tv-dark' }, at(1)).doc;
  const moved = change(start, BOARD, { widgets: [w2, w1] }, 2);
  const added = change(start, BOARD, { widgets: [{ ...w1, title: 'new' }, w2, w3] }, 3, B);
  const removed = change(start, BOARD, { widgets: [w1] }, 4, 'gw_c.1.z');
  const all = joined(joined(moved, added), removed);
  assert.equal(all.vid, joined(removed, joined(added, moved)).vid);
  assert.deepEqual(assemble(BOARD, all.registers).widgets, [{ ...w1, title: 'new' }, w3]);
});

test('[Y240] lists of names and of entries keep the order that a person wrote, and of two orders the later one counts without a question', () => {
  const ids = (list: readonly string[]) => list.map((id) => ({ id }));
  const data = {
    number: 'RT-1',
    title: 'Leak',
    status: 'flagged',
    assigned_mechanic_ids: ['m2', 'm1'],
    labor: ids(['b', 'a']),
  };
  const start = createDoc(TICKET, { collection: 'records', id: 'rt_1', object: 'repair_ticket' }, data, at(1)).doc;
  const shown = (doc: Doc) => assemble(TICKET, doc.registers);
  assert.deepEqual([shown(start).assigned_mechanic_ids, shown(start).labor], [['m2', 'm1'], ids(['b', 'a'])]);
  const mine = change(start, TICKET, { assigned_mechanic_ids: ['m3', 'm2', 'm1'] }, 2);
  const theirs = change(start, TICKET, { assigned_mechanic_ids: ['m1', 'm2', 'm0'], labor: ids(['a', 'b']) }, 3, B);
  const both = joined(mine, theirs);
  assert.equal(both.vid, joined(theirs, mine).vid);
  // The later order does not name m3, so it is last.
  assert.deepEqual(shown(both).assigned_mechanic_ids, ['m1', 'm2', 'm0', 'm3']);
  assert.deepEqual([shown(both).labor, inboxOf(both)], [ids(['a', 'b']), []]);
});

test('[Y241] an order is written only if the entries and the earlier order do not give it', () => {
  const orderOf = (doc: Doc) => doc.registers.get('^aliases#order')?.[0]?.v;
  const start = machine({ aliases: ['T1', 'T2', 'T3'] });
  assert.equal(orderOf(start), undefined);
  const moved = change(start, MACHINE, { aliases: ['T3', 'T1', 'T2'] }, 2);
  assert.deepEqual(orderOf(moved), ['T3', 'T1', 'T2']);
  const edited = editDoc(MACHINE, moved, { ...assemble(MACHINE, moved.registers), aliases: ['T3', 'T2', 'T4'] }, at(3));
  assert.deepEqual(edited.paths, ['aliases/T4', 'aliases/T1']);
  const fewer = editDoc(MACHINE, moved, { ...assemble(MACHINE, moved.registers), aliases: ['T3', 'T2'] }, at(3));
  assert.deepEqual(fewer.paths, ['aliases/T1']);
  const more = editDoc(
    MACHINE,
    moved,
    { ...assemble(MACHINE, moved.registers), aliases: ['T3', 'T1', 'T2', 'T9'] },
    at(3),
  );
  assert.deepEqual(more.paths, ['aliases/T9']);
  const sorted = change(moved, MACHINE, { aliases: ['T1', 'T2', 'T3'] }, 4);
  assert.deepEqual([orderOf(sorted), assemble(MACHINE, sorted.registers).aliases], [[], ['T1', 'T2', 'T3']]);
});

test('[Y242] a version that does not know orders keeps them when a person edits the record there', () => {
  const { aliases, ...others } = MACHINE.fields ?? {};
  assert.equal(aliases?.merge, 'set');
  // For this table a list of names is unknown, and so is its order.
  const older: KindRule = { ...MACHINE, fields: others };
  const start = machine({ aliases: ['T2', 'T1'] });
  const { doc, paths } = editDoc(older, start, { ...assemble(older, start.registers), name: 'new' }, at(2, B));
  assert.deepEqual([paths, assemble(MACHINE, doc.registers).aliases], [['name'], ['T2', 'T1']]);
});

test('[Y56] a value keeps at most 512 ancestors, and a lost one gives a conflict but loses no value', () => {
  let register = writeRegister('name', undefined, 0, at(1));
  const first = register;
  for (let i = 1; i < 600; i++) register = writeRegister('name', register, i, at(i + 1));
  assert.equal(register[0]?.anc.length, MOST_ANCESTORS);
  const again = joinRegister('name', first, register);
  assert.deepEqual(
    again.map(({ v }) => v),
    [0, 599],
  );
  assert.equal(shownOf(again).v, 599);
});

test('[Y43] a version that does not know a field keeps it when a person edits the document', () => {
  const newer: KindRule = {
    ...MACHINE,
    fields: { ...MACHINE.fields, x_list: { owner: 'people', direction: 'both', merge: 'ids' } },
  };
  const start = change(machine(), newer, { x_note: 'n', x_list: [{ id: 'e1', text: 't' }] }, 2);
  // The older version does not show the list in its data, and its person changes the name.
  const data = assemble(MACHINE, start.registers);
  assert.deepEqual([data.x_note, data.x_list], ['n', undefined]);
  const { doc } = editDoc(MACHINE, start, { ...data, name: 'new' }, at(3, B));
  assert.deepEqual(assemble(newer, doc.registers).x_list, [{ id: 'e1', text: 't' }]);
  const without = editDoc(MACHINE, doc, { name: 'newer' }, at(4, B)).doc;
  assert.equal(assemble(newer, without.registers).x_note, 'n');
});

test('[Y57] a document that nobody edited is stored without registers, and every document comes back as it was', () => {
  const start = machine({ aliases: ['T1', 'T2'] });
  const implied = (doc: Doc) => decompose(MACHINE, assemble(MACHINE, doc.registers));
  assert.deepEqual(packRegisters(implied(start), start.registers).registers, []);
  const edited = change(start, MACHINE, { name: 'n', aliases: ['T2'], labels: {} }, 2);
  const both = joined(edited, change(start, MACHINE, { name: 'm' }, 3, B));
  for (const doc of [start, edited, both, deleteDoc(both, at(9))]) {
    const packed = packRegisters(implied(doc), doc.registers);
    assert.deepEqual(new Map(unpackRegisters(implied(doc), packed)), new Map(doc.registers));
  }
  assert.equal(packRegisters(implied(edited), edited.registers).registers.length, 3);
  const other = new Map([...implied(start), ['widgets#order', []]]);
  const packed = packRegisters(other, start.registers);
  assert.deepEqual(new Map(unpackRegisters(other, packed)), new Map(start.registers));
});
