/**
 * People in sentences: names before their role (`Valdir and Simone are the mechanics`), behind it (`the mechanic is called Fabio`), and
 * names with a machine (`Tom and Billy drive the artics`). A name needs a role or a machine near it in the same part of the sentence.
 */

import type { Item, Read, Text } from '#domain/sentences/items.ts';
import { nameAt, type UnitIndex, unitAt } from '#domain/sentences/names.ts';
import { clueAt, THE_WORDS } from '#domain/words/grammar.ts';
import { KIND_WORDS } from '#domain/words/kind-words.ts';
import { phrases } from '#domain/words/phrases.ts';
import { ROLE_WORDS, type Role } from '#domain/words/shift-words.ts';
import type { Token } from '#domain/words/text.ts';

export interface NamePart {
  readonly start: number;
  readonly to: number;
}

/** A person that a sentence names. */
export interface NamedPerson extends NamePart {
  readonly role: Role;
  readonly unit: string | null;
}

type Part = { readonly from: number; readonly to: number } & (
  | { readonly type: 'name'; readonly start: number; readonly words: number }
  | { readonly type: 'role'; readonly role: Role }
  | { readonly type: 'machine'; readonly unit: string | null; readonly known: boolean }
  | { readonly type: 'drive' | 'by' | 'call' | 'is' | 'and' | 'comma' | 'open' | 'break' | 'small' | 'on' | 'word' }
);

const DRIVE = phrases<true>([
  [
    true,
    'drives|drive|driving|operates|operate|operating|is on|are on|is in|runs|run|maneja|manejan|conduce|conducen|opera|operan|lleva|llevan|trae|traen|anda en|andan en|está en|están en|va en|van en|se encarga de|conduz|conduzem|dirige|dirigem|pilota|pilotam|trabalha na|trabalha no|está na|está no|está com|fica na|fica no|conduit|conduisent|pilote|pilotent|est sur|sont sur|travaille sur|fährt|fahren|bedient|bedienen|sitzt auf|sitzt im|sitzen auf|ist auf|sind auf|arbeitet auf|macht den|a cargo de|ao volante',
  ],
]);
const CALLED = phrases<true>([
  [
    true,
    "have|we have|i have|we've got|i've got|tengo a|tengo al|tenemos a|tenemos al|tenho o|temos o|temos a|tenho a|hab ich|habe ich|haben wir|on a|j'ai|nous avons|is called|are called|called|named|name is|se llama|se llaman|llamado|llamada|chama-se|se chama|se chamam|chamado|chamada|s'appelle|s'appellent|appelé|nommé|heißt|heißen|namens|lo lleva|la lleva|los lleva|responde",
  ],
]);
const BY = phrases<true>([
  [
    true,
    'driven by|run by|operated by|done by|looked after by|kept running by|conducido por|conducida por|conducidos por|manejado por|manejada por|manejados por|operado por|operada por|operados por|operadas por|conduzido por|conduzida por|pilotado por|pilotada por|conduit par|conduite par|conduits par|piloté par|pilotée par|gefahren von|bedient von|wird von|werden von',
  ],
]);
const ON = new Set('on with in auf mit im am sur avec au en con a no na nos nas com ao aux'.split(' '));
const SMALL = new Set(
  'our my new second senior lead main head older younger resident own nosso nossa nossos nossas nuestro nuestra nuestros nuestras notre nos unser unsere unseren unserem unserer residente titular de da do del du der des of for para pour für von jefe chefe normally usually siempre mostly only today currently immer also tambien tambem aussi auch'.split(
    ' ',
  ),
);
/** Words with a capital letter at the start of a sentence that are no names. */
const OPENINGS = new Set(
  'they we he she it you who that this there then now today also only everyone everybody nobody somebody someone one two both ellos ellas el ella nosotros usted ustedes todos cada hoy ahora entonces tambien aqui alli solo eles elas ele ela nos voce voces hoje agora entao aqui ils elles il elle on nous vous aujourd hui ici chacun tout tous wir sie er ich ihr man jeder alle heute hier dann dort auch nur was wer und en au aux sur dans con por para im am auf bei mit seit fur in at on hi hello hola ola bonjour hallo hey thanks gracias obrigado merci danke saludos regards cheers company maintenance personal staff people crew'.split(
    ' ',
  ),
);
const MOST_BETWEEN = 4;
const OTHER_ITEMS = new Set(['place', 'make', 'model', 'units', 'times', 'topic']);

/** The parts of a sentence that matter for people. */
function partsOf(
  text: Text,
  { sentence, items }: Read,
  units: UnitIndex,
  people: (words: NamePart) => boolean,
  isLower: boolean,
): Part[] {
  const { tokens, language } = text;
  const { from, to } = sentence;
  const parts: Part[] = [];
  for (let at = from; at < to; ) {
    const part = partAt(at);
    parts.push(part);
    at = Math.max(at + 1, part.to);
  }
  return parts;

  function partAt(at: number): Part {
    const token = tokens[at] as Token;
    const make = (
      type: 'drive' | 'by' | 'call' | 'is' | 'and' | 'comma' | 'open' | 'break' | 'small' | 'on' | 'word',
      end: number,
    ): Part => ({
      type,
      from: at,
      to: end,
    });
    const called = CALLED.at(tokens, at, to);
    // `la giratoria la lleva Fermín`
    const taken = /^l[oa]s?$/.test(token.key) && /^llevan?$/.test(tokens[at + 1]?.key ?? '');
    if (taken && parts.some(({ type }) => type === 'machine')) return make('drive', at + 2);
    if (called !== null) return make('call', called.to);
    const by = BY.at(tokens, at, to);
    if (by !== null) return make('by', by.to);
    const drive = DRIVE.at(tokens, at, to);
    if (drive !== null) return make('drive', drive.to);
    const kind = KIND_WORDS.at(tokens, at, to);
    const role = ROLE_WORDS.at(tokens, at, to);
    if (role !== null && (kind?.to ?? 0) < role.to) return { type: 'role', from: at, to: role.to, role: role.value };
    const unit = unitAt(text, at, to, units);
    if (unit !== null) return { type: 'machine', from: at, to: unit.to, unit: unit.unit, known: true };
    const name = nameAt(text, at, to) ?? lowerName(at);
    if (name !== null && isPerson(at, name)) return { type: 'name', from: at, ...name, words: name.to - name.start };
    if (kind !== null) return { type: 'machine', from: at, to: kind.to, unit: null, known: false };
    const item = items.find((one) => one.from <= at && at < one.to);
    if (item?.type === 'make' || item?.type === 'model')
      return { type: 'machine', from: at, to: item.to, unit: null, known: false };
    if (item?.type === 'noise' || item?.type === 'times') return make('word', item.to);
    const clue = clueAt(text, at, to);
    if (clue?.value === 'and') return make('and', clue.to);
    if (clue?.value === 'is' || ['s', 'sera', 'estan', 'estao'].includes(token.key))
      return make('is', clue?.to ?? at + 1);
    // `operator: Ana Ruiz`
    if (token.key === ':' && parts.at(-1)?.type === 'role') return make('is', at + 1);
    if (token.isSign) return make(signOf(token.key), at + 1);
    if (ON.has(token.key)) return make('on', at + 1);
    return make(THE_WORDS[language].at(tokens, at, to) !== null || SMALL.has(token.key) ? 'small' : 'word', at + 1);
  }

  /** In a text without capital letters, a word is a name only behind a role or a name, or before `drives`. */
  function lowerName(at: number): NamePart | null {
    if (!isLower) return null;
    const name = nameAt(text, at, to, true);
    const isOpen = parts.length === 0 || ['comma', 'and', 'break'].includes(parts.at(-1)?.type ?? '');
    return name !== null && (isAfterTitle() || (isOpen && DRIVE.at(tokens, name.to, to) !== null)) ? name : null;
  }

  /** A run of capital letters that is no place, make or machine, and no word that only begins the sentence. */
  function isPerson(at: number, name: NamePart): boolean {
    if (people(name)) return true;
    if (items.some((one: Item) => OTHER_ITEMS.has(one.type) && one.from < name.to && one.to > name.start)) return false;
    const first = tokens[name.start] as Token;
    if (OPENINGS.has(first.key) || (first.text === first.text.toUpperCase() && first.text.length > 2)) return false;
    const isSingle = name.to === name.start + 1;
    return (
      !isSingle ||
      language !== 'de' ||
      at === from ||
      name.start > at ||
      isAfterTitle() ||
      DRIVE.at(tokens, name.to, to) !== null
    );
  }

  /** In German every noun has a capital letter: a single word is a name only behind a role, `heißt`, `ist`, or another name. */
  function isAfterTitle(): boolean {
    const last = parts.findLast(({ type }) => type !== 'small');
    if (last?.type === 'comma' || last?.type === 'and')
      return parts.findLast(({ type }) => !['small', 'comma', 'and'].includes(type))?.type === 'name';
    const isVerb = last?.type === 'is' || last?.type === 'call' || last?.type === 'by' || last?.type === 'drive';
    return last?.type === 'role' || (isVerb && has(parts.slice(-6), 'role', 'call', 'by', 'machine'));
  }
}

function signOf(key: string): 'comma' | 'open' | 'break' | 'word' {
  if (key === ',') return 'comma';
  if (key === '(') return 'open';
  if (key === '-' || key === '=') return 'comma';
  return [';', ':', '.', '!', '?', '/'].includes(key) ? 'break' : 'word';
}

type Name = Part & { type: 'name' };

/** Names with `and` and commas between them, from `i` on. */
function namesFrom(parts: readonly Part[], i: number): { names: Name[]; to: number } {
  const names: Name[] = [];
  let at = i;
  for (;;) {
    let next = at;
    if (names.length > 0) {
      while (parts[next]?.type === 'comma' || parts[next]?.type === 'and') next++;
      if (next === at) break;
    }
    while (parts[next]?.type === 'small') next++;
    const part = parts[next];
    if (part?.type !== 'name') break;
    names.push(part);
    at = next + 1;
  }
  return { names, to: at };
}

/** The parts up to the first one of a type; null if a break or too many words stand before it. */
function ahead(
  parts: readonly Part[],
  from: number,
  type: Part['type'],
): { at: number; between: readonly Part[] } | null {
  for (let at = from; at < parts.length; at++) {
    const part = parts[at] as Part;
    const between = parts.slice(from, at);
    if (part.type === type) return { at, between };
    if (part.type === 'break' || part.type === 'name' || part.type === 'role') return null;
    if (between.filter((one) => one.type === 'word').length > MOST_BETWEEN) return null;
  }
  return null;
}

const has = (parts: readonly Part[], ...types: Part['type'][]): boolean =>
  parts.some(({ type }) => types.includes(type));
const wordsIn = (parts: readonly Part[]): number => parts.filter(({ type }) => type === 'word').length;

/** The machines of a list, from `at` on. */
function machinesFrom(parts: readonly Part[], at: number): (string | null)[] {
  const machines: (string | null)[] = [];
  for (let i = at; i < parts.length; i++) {
    const part = parts[i] as Part;
    if (part.type === 'machine') machines.push(part.unit);
    else if (part.type !== 'and' && part.type !== 'comma' && part.type !== 'small') break;
  }
  return machines;
}

/** `LD-2 is a Cat 992 loader, operator Ana Ruiz`: the only numbered machine of the part before the role. */
function machineBefore(tokens: readonly Token[], parts: readonly Part[], role: number): string | null {
  // `EX-1: operator Ana Ruiz`
  const isColon = ({ from }: Part) => tokens[from]?.key === ':';
  const start = parts.findLastIndex(
    (part, i) => i < role && ['name', 'role', 'break'].includes(part.type) && !isColon(part),
  );
  const units = new Set(
    parts.slice(start + 1, role).flatMap((part) => (part.type === 'machine' ? (part.unit ?? []) : [])),
  );
  const [only] = units;
  return units.size === 1 ? (only ?? null) : null;
}

/** `operador de la pala 1 don Hernán Cayupi, de la pala 2 la señora Marisol Tapia`: further machines, each with its name. */
function furtherMachines(
  parts: readonly Part[],
  from: number,
): { readonly pairs: { readonly names: Name[]; readonly unit: string | null }[]; readonly to: number } {
  const isBetween = (i: number) => ['comma', 'and', 'small', 'on'].includes(parts[i]?.type ?? '');
  const pairs: { readonly names: Name[]; readonly unit: string | null }[] = [];
  let end = from;
  for (;;) {
    let at = end;
    while (isBetween(at)) at++;
    const next = parts[at];
    let name = at + 1;
    while (parts[name]?.type === 'small') name++;
    const { names, to } = namesFrom(parts, name);
    if (at === end || next?.type !== 'machine' || !next.known || names.length !== 1) return { pairs, to: end };
    pairs.push({ names, unit: next.unit });
    end = to;
  }
}

/** The people of a sentence with their role and machine. `known` tells that a name has been read as a person before. */
export function peopleIn(
  text: Text,
  read: Read,
  units: UnitIndex,
  known: (words: NamePart) => boolean,
  isLower: boolean,
): NamedPerson[] {
  const parts = partsOf(text, read, units, known, isLower);
  const found: NamedPerson[] = [];
  const add = (names: readonly Name[], role: Role, machines: readonly (string | null)[] = []) => {
    for (const [i, { start, to }] of names.entries())
      found.push({ start, to, role, unit: machines.length === names.length ? (machines[i] ?? null) : null });
  };
  let driving = false;
  for (let i = 0; i < parts.length; ) {
    const part = parts[i] as Part;
    if (part.type === 'break') driving = false;
    if (part.type === 'role') {
      const next = behindRole(i, part.role);
      if (next !== null) {
        i = next;
        continue;
      }
    }
    // `The trucks are driven by Jim Cole and Tom Reed`, `Maintenance is done by Gary Moss`
    if (part.type === 'by') {
      const before = parts
        .slice(0, i)
        .findLast(({ type }) => type === 'role' || type === 'machine' || type === 'name' || type === 'break');
      const { names, to } = namesFrom(parts, i + 1);
      if (before?.type === 'role' && before.role !== 'other') add(names, before.role);
      if (before?.type === 'machine') add(names, 'operator', names.length === 1 ? [before.unit] : []);
      i = Math.max(i + 1, to);
      continue;
    }
    // `Den Bagger fährt der Toni`, `la pelle c'est Kevin`
    if (part.type === 'machine') {
      const verb = ahead(parts, i + 1, text.language === 'fr' && has(parts.slice(i, i + 3), 'is') ? 'is' : 'drive');
      const { names, to } =
        verb === null || verb.between.some(({ type }) => type !== 'small')
          ? { names: [], to: i }
          : namesFrom(parts, verb.at + 1);
      if (names.length > 0 && ahead(parts, to, 'role') === null)
        add(names, 'operator', names.length === 1 ? [part.unit] : []);
      i = Math.max(i + 1, to);
      continue;
    }
    if (part.type !== 'name') {
      i++;
      continue;
    }
    const { names, to } = namesFrom(parts, i);
    const role = ahead(parts, to, 'role');
    const own = role === null ? undefined : parts[role.at];
    // `Valdir and Simone are the mechanics`, `Fabien Roussel, mécanicien`, `Jair (foreman)`
    const isLinked =
      role !== null &&
      wordsIn(role.between) <= 1 &&
      !has(role.between, 'machine') &&
      (has(role.between, 'is') ||
        (role.between[0]?.type === 'comma' && wordsIn(role.between) === 0) ||
        role.between[0]?.type === 'open');
    if (isLinked && own?.type === 'role') {
      if (own.role !== 'other') add(names, own.role);
      i = (role?.at ?? to) + 1;
      continue;
    }
    const machine = ahead(parts, to, 'machine');
    const target = machine === null ? undefined : parts[machine.at];
    if (machine !== null && target?.type === 'machine' && drives(machine.between, target, names)) {
      driving = true;
      const machines = machinesFrom(parts, machine.at);
      add(names, 'operator', names.length === 1 ? machines.slice(0, 1) : machines);
      i = machine.at + 1;
      continue;
    }
    i = to;
  }
  return found;

  /** `the mechanic is called Fabio`, `Mechaniker Uwe Kranz`, `o manobrador da Komatsu é o Sr. Joaquim Seabra` */
  function behindRole(i: number, role: Role): number | null {
    const name = ahead(parts, i + 1, 'name');
    if (name === null) return null;
    const { between } = name;
    const isDirect = between.length === 0;
    const isLinked = has(between, 'is', 'call')
      ? wordsIn(between) <= 2
      : has(between, 'comma') && wordsIn(between) === 0;
    // `operador de la pala 1 don Hernán Cayupi`
    const isOf = between.every(({ type }) => type === 'small' || type === 'on' || type === 'machine');
    if (!isDirect && !isLinked && !(isOf && between.some((one) => one.type === 'machine' && one.known))) return null;
    const { names, to } = namesFrom(parts, name.at);
    const after = ahead(parts, to, 'role');
    // `Personal: operador Juan Soto, mecánico Ana Ruiz` goes on with the next role.
    if (after !== null && after.between[0]?.type === 'is') return null;
    if (role === 'other') return to;
    const machine = between.find((one) => one.type === 'machine');
    const unit = machine?.type === 'machine' ? machine.unit : machineBefore(text.tokens, parts, i);
    add(names, role, names.length === 1 ? [unit] : []);
    if (machine === undefined) return to;
    const more = furtherMachines(parts, to);
    for (const one of more.pairs) add(one.names, role, [one.unit]);
    return more.to;
  }

  function drives(between: readonly Part[], target: Part & { type: 'machine' }, names: readonly Name[]): boolean {
    if (has(between, 'comma', 'open', 'and') && !driving) return false;
    if (has(between, 'drive')) return wordsIn(between) <= 2;
    if (wordsIn(between) > 0 || has(between, 'comma', 'open')) return false;
    if (driving && (has(between, 'on', 'small') || target.known)) return !has(between, 'and');
    return has(between, 'on') && target.known && names.every(({ words }) => words > 1);
  }
}

/** Words between a name and a machine, also in sentences that have neither role. */
export const DRIVES = phrases<true>([
  [
    true,
    'drives|drive|operates|operate|runs|is on|on the|maneja|manejan|conduce|opera|lleva|a cargo de|conduz|pilota|conduit|la conduit|le conduit|pilote|fährt|fahren|bedient|sitzt auf|auf dem|auf der|auf|usually drives',
  ],
]);
