/** The views of the shell page that do not follow from the state of the gateway. */
import { type Display, EXIT_KEYS, kioskFields } from './kiosk-plan.ts';
import type { KioskSettings } from './settings-file.ts';
import type { ShellView } from './shell-channels.ts';

const QUIET: Pick<ShellView, 'fields' | 'actions' | 'problem' | 'busy'> = {
  fields: [],
  actions: [],
  problem: null,
  busy: false,
};

/** The only question of the first run. */
export function folderView(folder: string, problem: string | null): ShellView {
  return {
    ...QUIET,
    title: 'Where should the data go?',
    text: [
      'Headframe keeps everything in one folder on this computer: machines, history, tickets and files. Nothing leaves this computer.',
      'Choose a disk that has space: a site with ten machines needs about 20 GB. A folder that already has the data of a gateway is used as it is.',
    ],
    fields: [{ name: 'folder', label: 'Data folder', kind: 'folder', value: folder }],
    actions: [
      { id: 'use-folder', label: 'Use this folder' },
      { id: 'choose-folder', label: 'Choose another folder' },
    ],
    problem,
  };
}

export function claimCodeView(made: { code: string; claimed: boolean; expires_at: string }): ShellView {
  return {
    ...QUIET,
    title: `Claim code: ${made.code}`,
    text: [
      made.claimed
        ? 'With this code an owner who forgot the passphrase chooses a new one: on the page Sign in, follow “enter the code” below “Forgot the passphrase?”.'
        : 'With this code a person becomes the owner of this gateway.',
      `It is valid once, until ${new Date(made.expires_at).toLocaleTimeString()}.`,
    ],
    actions: [
      { id: 'close', label: 'Close' },
      { id: 'copy', label: 'Copy the code' },
    ],
  };
}

export function kioskSetupView(
  displays: readonly Display[],
  now: KioskSettings | null,
  problem: string | null,
): ShellView {
  return {
    ...QUIET,
    title: 'Kiosk mode',
    text: [
      'The screen shows one page in full size and stays on. Headframe opens it again after a hang, a restart of the gateway and a restart of this computer.',
      `To end it, press ${EXIT_KEYS} and enter the PIN.`,
    ],
    fields: kioskFields(displays, now),
    actions: [
      { id: 'kiosk-start', label: 'Start' },
      { id: 'close', label: 'Cancel' },
    ],
    problem,
  };
}

export function pinView(problem: string | null): ShellView {
  return {
    ...QUIET,
    title: 'End the kiosk',
    text: [],
    fields: [{ name: 'pin', label: 'PIN', kind: 'pin', value: '' }],
    actions: [
      { id: 'kiosk-leave', label: 'End the kiosk' },
      { id: 'kiosk-stay', label: 'Cancel' },
    ],
    problem,
  };
}

/** A page that did not load; the app tries again by itself. */
export function loadFailedView(address: string, why: string): ShellView {
  return {
    ...QUIET,
    title: 'The page does not load',
    text: [`${address} does not answer (${why}). Headframe tries again by itself.`],
    busy: true,
  };
}

export function failedView(title: string, error: unknown): ShellView {
  const text = error instanceof Error ? error.message : String(error);
  return { ...QUIET, title, text: [text], actions: [{ id: 'close', label: 'Close' }] };
}
