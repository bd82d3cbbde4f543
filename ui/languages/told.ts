/**
 * Puts the texts of the gateway into the language of the page ([U380]). The gateway sends each text in English, and its sentences as templates
 * with parameters if it has parameters. A text without parameters is its own template. A text that the gateway has stored, such as a note of
 * a run, has no sentences: the page finds the template from which it was made ([U381]).
 */
import { fill, type ToldText, textOf } from '#contract/base/told.ts';
import { language, toldTemplate } from './texts.ts';

/** A template that begins with a parameter must have this much text besides, so that it does not fit texts of people. */
const LEAST = 12;

let known: { readonly of: object; readonly patterns: readonly (readonly [template: string, pattern: RegExp])[] } = {
  of: {},
  patterns: [],
};

/** Returns the source of the pattern of a template. A parameter that stands twice has the same value twice. */
function sourceOf(template: string): string {
  const seen = new Set<string>();
  return template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, (_, name: string) => {
    if (seen.has(name)) return `\\k<${name}>`;
    seen.add(name);
    return `(?<${name}>.+?)`;
  });
}

function patternsOf(told: Readonly<Record<string, string>>) {
  if (known.of !== told) {
    const templates = Object.keys(told).filter((template) => {
      if (!template.includes('{') || template.includes('|')) return false;
      return template.replace(/\{\w+\}/g, '').length >= LEAST || /^[A-Z][a-z]{3}/.test(template);
    });
    const patterns = templates.map((template) => [template, new RegExp(`^${sourceOf(template)}$`, 's')] as const);
    known = { of: told, patterns };
  }
  return known.patterns;
}

/** Finds the template from which a text was made. Null if there is none. */
function matched(english: string, told: Readonly<Record<string, string>>): string | null {
  for (const [template, pattern] of patternsOf(told)) {
    const params = pattern.exec(english)?.groups;
    if (params !== undefined) return fill(toldTemplate(template) ?? template, params);
  }
  return null;
}

/** Returns a text of the gateway in the language of the page; null if the language lacks one of its sentences. */
export function toldText(english: string, words?: ToldText | null): string | null {
  const { told = {}, isOne } = language();
  // English has no table.
  if (english === '' || Object.keys(told).length === 0) return english;
  const sentences = words ?? [{ text: english }];
  if (sentences.some(({ text }) => toldTemplate(text) === undefined)) return matched(english, told);
  return textOf(sentences, (text) => toldTemplate(text) ?? text, isOne);
}
