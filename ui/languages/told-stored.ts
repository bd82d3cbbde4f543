/**
 * Finds the templates of texts that the gateway has stored, such as a note of a run: they have no sentences beside them ([U381]). This file is
 * loaded with the first language other than English.
 */
import { textOf } from '#contract/base/told.ts';
import { type ToldTable, toldTemplate } from './texts.ts';

/** A template that begins with a parameter must have this much text besides, so that it does not fit texts of people. */
const LEAST = 12;

/** Returns the source of the pattern of a template. A parameter that stands twice has the same value twice. */
function sourceOf(template: string): string {
  const seen = new Set<string>();
  return template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, (_, name: string) => {
    if (seen.has(name)) return `\\k<${name}>`;
    seen.add(name);
    return `(?<${name}>.+?)`;
  });
}

type Patterns = readonly (readonly [template: string, pattern: RegExp])[];

function patternsOf(texts: ToldTable['texts']): Patterns {
  const templates = Object.keys(texts).filter((template) => {
    if (!template.includes('{') || template.includes('|')) return false;
    return template.replace(/\{\w+\}/g, '').length >= LEAST || /^[A-Z][a-z]{3}/.test(template);
  });
  return templates.map((template) => [template, new RegExp(`^${sourceOf(template)}$`)] as const);
}

/** Parameters of stored texts that are lists of words of the gateway. Other parameters are names and numbers, and stay as they are. */
const LISTS: Readonly<Record<string, (word: string) => string | undefined>> = {
  made: (word) => word.replace(/\p{L}+$/u, (noun) => toldTemplate(noun) ?? noun),
  topics: toldTemplate,
  // The kind of an entry of a log, such as `note`.
  what: (word) => (/^[a-z_]+$/.test(word) ? toldTemplate(word) : undefined),
  fields: (word) => toldTemplate(word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ')),
};

function shownParam([name, value]: readonly [string, string]): [string, string] {
  const list = LISTS[name];
  if (list !== undefined)
    return [
      name,
      value
        .split(', ')
        .map((word) => list(word) ?? word)
        .join(', '),
    ];
  // A value that ends with a period is a sentence with a template.
  return [name, value.endsWith('.') ? (toldTemplate(value) ?? value) : value];
}

/** Finds the template from which one sentence was made. Null if there is none. */
function matched(english: string, patterns: () => Patterns): string | null {
  const known = toldTemplate(english);
  if (known !== undefined) return known;
  for (const [template, pattern] of patterns()) {
    const params = pattern.exec(english)?.groups;
    if (params !== undefined)
      return textOf({
        text: toldTemplate(template) ?? template,
        params: Object.fromEntries(Object.entries(params).map(shownParam)),
      });
  }
  return null;
}

/** Finds the templates from which a stored text was made: of each line, or else of each sentence, or else of the whole. */
function stored(english: string, patterns: () => Patterns): string | null {
  const known = toldTemplate(english);
  if (known !== undefined) return known;
  for (const [mark, between] of [
    ['\n', '\n'],
    [/(?<=[.!?]) (?=[\p{Lu}\d"])/u, ' '],
  ] as const) {
    const parts = english.split(mark);
    if (parts.length === 1) continue;
    const shown = parts.map((one) => matched(one, patterns));
    if (shown.every((one) => one !== null)) return shown.join(between);
  }
  return matched(english, patterns);
}

/** Returns the table of these translations of the texts of the gateway. */
export function toldTable(texts: ToldTable['texts']): ToldTable {
  let patterns: Patterns | undefined;
  const made = (): Patterns => {
    patterns ??= patternsOf(texts);
    return patterns;
  };
  return { texts, stored: (english) => stored(english, made) };
}
