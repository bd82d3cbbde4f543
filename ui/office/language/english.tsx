/** Texts that the gateway has put into words itself, on a page in any language ([U310], [U380]). */
import type { ComponentChildren } from 'preact';
import type { ToldText } from '#contract/base/told.ts';
import { toldText } from '#ui/languages/told.ts';

export const English = ({ children }: { children: ComponentChildren }) => (
  <span lang="en" dir="ltr">
    {children}
  </span>
);

/** A text of the gateway in the language of the page. Without a translation it is in English, and says so. */
export function Told({ text, words }: { text: string; words?: ToldText | null | undefined }) {
  const told = toldText(text, words);
  return told === null ? <English>{text}</English> : <>{told}</>;
}
