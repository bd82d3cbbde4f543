/** A text that the gateway has put into English itself, on a page in any language ([U310]). */
import type { ComponentChildren } from 'preact';

export const English = ({ children }: { children: ComponentChildren }) => (
  <span lang="en" dir="ltr">
    {children}
  </span>
);
