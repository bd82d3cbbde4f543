/** What the shell page shows, and what it sends. The shell page is the page of the app itself, beside the pages of the gateway. */

export interface Action {
  readonly id: ActionId;
  readonly label: string;
}

export interface Field {
  readonly name: string;
  readonly label: string;
  /** `folder` is only shown; the action `choose-folder` changes it. */
  readonly kind: 'folder' | 'pin' | 'choice' | 'text';
  readonly value: string;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
}

export interface ShellView {
  readonly title: string;
  readonly text: readonly string[];
  readonly fields: readonly Field[];
  /** The first action is the usual one; the key Enter sends it. */
  readonly actions: readonly Action[];
  /** What was wrong with the last action. */
  readonly problem: string | null;
  /** True while something happens without the person. */
  readonly busy: boolean;
}

export const ACTIONS = [
  'use-folder',
  'choose-folder',
  'retry',
  'other-port',
  'show-log',
  'show-folder',
  'copy',
  'close',
  'kiosk-start',
  'kiosk-leave',
  'kiosk-stay',
] as const;
export type ActionId = (typeof ACTIONS)[number];

/** An action of the person, with the values of all fields. */
export interface Act {
  readonly id: ActionId;
  readonly fields: Readonly<Record<string, string>>;
}

/** Names of the IPC channels. */
export const CHANNELS = { view: 'shell:view', act: 'shell:act', changed: 'shell:changed' } as const;
/** The protocol from which the app serves the shell page. */
export const SHELL_SCHEME = 'headframe';
export const SHELL_PAGE = `${SHELL_SCHEME}://shell/shell.html`;
