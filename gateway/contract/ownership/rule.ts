/**
 * The form of the ownership table: who may write each field of each kind of document, in which direction it is copied between a site and
 * head office, and how two values of it are joined. gateway/sync/SPEC.md explains the rules.
 */
import type { CollectionName } from '#contract/base/view.ts';

/**
 * people: people and agents at either end. machinery: programs of the home site, from what devices send. fact: written once, never changed.
 * node: each gateway and the cloud have their own.
 */
export type Owner = 'people' | 'machinery' | 'fact' | 'node';

/** both: site to cloud and cloud to site. up: site to cloud. none: the field stays where it was written. */
export type Direction = 'both' | 'up' | 'none';

/**
 * value: the whole field. keys: each key of an object. ids: each entry of a list by its `id`. codes: by its `code`. set: each value of a
 * list. These three also have an order, and of two orders the later one counts. ordered: as ids, and the order is a value of people, of
 * which two are a conflict. steps: the moves of a ticket. later: the later time of each key.
 */
export type Merge = 'value' | 'keys' | 'ids' | 'ordered' | 'codes' | 'set' | 'steps' | 'later';

export interface FieldRule {
  readonly owner: Owner;
  readonly direction: Direction;
  readonly merge: Merge;
  /** Fields with the same group are one value, because they make sense only together. */
  readonly group?: string;
  /** Of two values that people gave at the same time, screens show the graver one. From the lightest to the gravest. */
  readonly rank?: readonly (string | boolean)[];
  /** The cloud never writes this field, and no value of it is ever taken from above, not even after a restore. */
  readonly never_down?: true;
  /** True for an object that may not be null: a node that has no value of it, because it never comes from above, shows an empty one. */
  readonly empty?: true;
  /** The value of a field of each node in a document that comes from another node. Without it the field is absent. */
  readonly start?: string | null;
  /** True for a list or an object that may be absent. */
  readonly optional?: true;
}

/** never: the kind is never deleted. edit_wins: an edit beats a deletion that did not see it. follows: deleted with the record that it belongs to. bound: deleted by age, with a receipt. node: by each node. */
export type Deletion = 'never' | 'edit_wins' | 'follows' | 'bound' | 'node';

export interface KindRule {
  readonly collection: CollectionName;
  readonly object: string;
  readonly deletion: Deletion;
  /** One rule for the whole document, or one for each field. */
  readonly whole?: FieldRule;
  readonly fields?: Readonly<Record<string, FieldRule>>;
}

export const PEOPLE: FieldRule = { owner: 'people', direction: 'both', merge: 'value' };
export const KEYS: FieldRule = { owner: 'people', direction: 'both', merge: 'keys' };
export const IDS: FieldRule = { owner: 'people', direction: 'both', merge: 'ids' };
export const ORDERED: FieldRule = { owner: 'people', direction: 'both', merge: 'ordered' };
export const SET: FieldRule = { owner: 'people', direction: 'both', merge: 'set' };
export const STEPS: FieldRule = { owner: 'people', direction: 'both', merge: 'steps', group: 'steps' };
export const LATER: FieldRule = { owner: 'people', direction: 'both', merge: 'later' };
/** Set when the document is made, and never changed. */
export const FIXED: FieldRule = { owner: 'fact', direction: 'both', merge: 'value' };
export const MACHINERY: FieldRule = { owner: 'machinery', direction: 'up', merge: 'value' };
/** Written by the machinery of the node that made it, which may be the cloud; the other end has a copy. */
export const HOME: FieldRule = { owner: 'machinery', direction: 'both', merge: 'value' };
export const NEVER_DOWN: FieldRule = { owner: 'machinery', direction: 'up', merge: 'value', never_down: true };
export const OWN: FieldRule = { owner: 'node', direction: 'none', merge: 'value' };
export const FACT: FieldRule = { owner: 'fact', direction: 'both', merge: 'value' };

/** Fields that are one value together. */
export const together = (group: string, more: Partial<FieldRule> = {}): FieldRule => ({ ...PEOPLE, group, ...more });

/** The rules of all fields of a type of data. The compiler refuses a field without a rule. */
export type FieldsOf<T> = { readonly [K in keyof Required<T>]: FieldRule };

/** A kind whose fields have rules of their own. */
export function kind<T>(
  collection: CollectionName,
  object: string,
  deletion: Deletion,
  fields: FieldsOf<T>,
): readonly KindRule[] {
  return [{ collection, object, deletion, fields }];
}

/** Kinds with one rule for the whole document. */
export function kinds(
  collection: CollectionName,
  deletion: Deletion,
  whole: FieldRule,
  ...objects: readonly string[]
): readonly KindRule[] {
  return objects.map((object) => ({ collection, object, deletion, whole }));
}
