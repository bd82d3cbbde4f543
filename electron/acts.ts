/** What the buttons of the shell page in the office window do. */
import { clipboard, screen, shell } from 'electron';
import type { GatewayState } from '#electron/core/gateway-runner.ts';
import { readKiosk } from '#electron/core/kiosk-plan.ts';
import { portFlag, type SettingsFile } from '#electron/core/settings-file.ts';
import type { Act, ActionId, ShellView } from '#electron/core/shell-channels.ts';
import { failedView, kioskSetupView } from '#electron/core/views.ts';
import type { Setup } from './setup.ts';

type Fields = Act['fields'];

/** Returns the function that carries out an action of the shell page, and shows an error if that fails. */
export function createActs(options: {
  readonly settings: SettingsFile;
  readonly setup: Setup;
  /** The log file of the gateway. */
  readonly log: string;
  readonly state: () => GatewayState;
  readonly freePort: () => number | null;
  readonly notice: () => ShellView | undefined;
  readonly say: (view: ShellView | undefined) => void;
  readonly start: () => Promise<void>;
  readonly showKiosk: () => void;
}): (act: Act) => Promise<void> {
  const { settings, setup, say, start } = options;

  async function useOtherPort(): Promise<void> {
    const state = options.state();
    const flag = state.is === 'refused' ? portFlag(state.cause.port?.flag ?? '') : undefined;
    const port = options.freePort();
    if (flag === undefined || port === null) return;
    settings.change({ ports: { ...settings.now.ports, [flag]: port } });
    await start();
  }

  async function startKiosk(fields: Fields): Promise<void> {
    const kiosk = await readKiosk(fields);
    if (typeof kiosk === 'string') return say(kioskSetupView(screen.getAllDisplays(), settings.now.kiosk, kiosk));
    settings.change({ kiosk });
    say(undefined);
    options.showKiosk();
  }

  const acts: Partial<Record<ActionId, (fields: Fields) => unknown>> = {
    retry: start,
    'choose-folder': setup.choose,
    'use-folder': setup.use,
    'other-port': useOtherPort,
    'kiosk-start': startKiosk,
    copy: () => clipboard.writeText(options.notice()?.title.replace('Claim code: ', '') ?? ''),
    'show-log': () => shell.showItemInFolder(options.log),
    'show-folder': () => shell.openPath(settings.now.data ?? ''),
    close: () => (settings.now.data === null ? setup.ask() : say(undefined)),
  };
  return async ({ id, fields }) => {
    try {
      await acts[id]?.(fields);
    } catch (error) {
      say(failedView('That did not work', error));
    }
  };
}
