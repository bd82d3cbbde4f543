/** What the window says about the state of the gateway: what is wrong, what to do, and the buttons that do it. */
import type { GatewayState } from './gateway-runner.ts';
import type { Action, ShellView } from './shell-channels.ts';

const AGAIN: Action = { id: 'retry', label: 'Try again' };
const OTHER_FOLDER: Action = { id: 'choose-folder', label: 'Choose another data folder' };
const SHOW_LOG: Action = { id: 'show-log', label: 'Show the log file' };
const SHOW_FOLDER: Action = { id: 'show-folder', label: 'Open the data folder' };

/** The parts of the view that depend on the state; `data` is the data folder. */
interface Facts {
  readonly data: string;
  /** A free port that the gateway could use instead of the port in use; null if the cause is not a port. */
  readonly freePort: number | null;
}

const view = (title: string, text: readonly string[], more: Partial<ShellView> = {}): ShellView => ({
  title,
  text,
  fields: [],
  actions: [],
  problem: null,
  busy: false,
  ...more,
});

const KEPT = 'Loggers and sensors keep their data and send it when the gateway runs again.';

/** Returns the state in one line, for the tray icon. */
export function stateLine(state: GatewayState): string {
  switch (state.is) {
    case 'starting':
      return 'The gateway starts';
    case 'running':
      return `The gateway runs, version ${state.ready.version}`;
    case 'restarting':
      return 'The gateway starts again';
    case 'waiting':
      return 'The disk is full; the gateway waits';
    case 'refused':
      return 'The gateway does not run: open Headframe';
    case 'stopped':
      return 'The gateway is stopped';
  }
}

/** Returns the view of the state; undefined while the gateway runs, because then the window shows the pages of the gateway. */
export function stateView(state: GatewayState, facts: Facts): ShellView | undefined {
  switch (state.is) {
    case 'running':
      return undefined;
    case 'starting':
      return view('The gateway starts', ['This takes some seconds.'], { busy: true });
    case 'restarting':
      return restarting(state);
    case 'waiting':
      return view(
        'The disk is full',
        [state.why, `Free some space on the disk of ${facts.data}. The gateway then starts by itself.`, KEPT],
        { busy: true, actions: [SHOW_FOLDER] },
      );
    case 'stopped':
      return view('The gateway is stopped', [KEPT], { actions: [{ id: 'retry', label: 'Start the gateway' }] });
    case 'refused':
      return refused(state, facts);
  }
}

function restarting(state: Extract<GatewayState, { is: 'restarting' }>): ShellView {
  const seconds = Math.max(1, Math.round(state.wait_ms / 1_000));
  return view(
    'The gateway starts again',
    [state.why, `It is started again in ${seconds} s. You need not do anything.`, KEPT],
    {
      busy: true,
      actions: [SHOW_LOG],
    },
  );
}

function refused({ why, cause }: Extract<GatewayState, { is: 'refused' }>, { data, freePort }: Facts): ShellView {
  if (cause.code === 'EADDRINUSE' && cause.port !== null)
    return view(
      `Another program uses port ${cause.port.number}`,
      [
        'The gateway needs this port. The other program may be a second Headframe gateway on this computer.',
        'Stop the other program and try again. You can also use another port; then devices and TVs need the new port, too.',
      ],
      {
        actions: [
          AGAIN,
          ...(freePort === null ? [] : [{ id: 'other-port', label: `Use port ${freePort} instead` } as const]),
        ],
      },
    );
  if (cause.code === 'EACCES' && cause.port !== null)
    return view(`The gateway may not use port ${cause.port.number}`, ['This computer reserves the port.'], {
      actions: [
        AGAIN,
        ...(freePort === null ? [] : [{ id: 'other-port', label: `Use port ${freePort} instead` } as const]),
      ],
    });
  if (cause.code === 'in_use')
    return view(
      'Another gateway uses this data folder',
      [
        `Another Headframe gateway already runs on ${data}, for example as a service. Two gateways cannot share a folder.`,
        'Stop the other gateway and try again, or choose another data folder.',
      ],
      { actions: [AGAIN, OTHER_FOLDER] },
    );
  if (cause.code === 'node_missing')
    return view(
      'A part of Headframe is missing',
      [
        'The program that runs the gateway (Node.js) is not where Headframe was installed, or it cannot be started. A virus scanner may have removed it.',
        `Install Headframe again. Your data in ${data} stays.`,
        why,
      ],
      { actions: [AGAIN] },
    );
  if (cause.code === 'crashes')
    return view(
      'The gateway does not start',
      [
        'It ended by itself five times before it was ready. The log file has more; send it to your support.',
        errorLine(why),
      ],
      { actions: [AGAIN, SHOW_LOG, OTHER_FOLDER] },
    );
  if (cause.code === 'corrupt')
    return view(
      'The data is damaged',
      [
        why,
        `The daily backups are in ${data}. Try again: the gateway repairs what it can. Otherwise ask your support before you delete anything.`,
      ],
      { actions: [AGAIN, SHOW_FOLDER, SHOW_LOG] },
    );
  if (cause.code === 'config') return view('A setting of the gateway is wrong', [why], { actions: [AGAIN, SHOW_LOG] });
  return view(
    'The gateway cannot use the data folder',
    [withoutFlags(why), 'Choose another data folder, or repair the access to this one and try again.'],
    { actions: [AGAIN, OTHER_FOLDER, SHOW_LOG] },
  );
}

/** Returns the line with the error from the last output of a program. */
function errorLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? '';
}

/** Removes the sentences that name flags of the command line, which a user of the desktop app cannot type. */
function withoutFlags(text: string): string {
  return text
    .split(/(?<=\.) /)
    .filter((sentence) => !/ --[a-z]|HEADFRAME_/.test(sentence))
    .join(' ');
}
