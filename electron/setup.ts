/** The choice of the data folder. */
import { app, dialog } from 'electron';
import { createFolder, folderProblem, suggestedFolder } from '#electron/core/data-folder.ts';
import type { SettingsFile } from '#electron/core/settings-file.ts';
import type { ShellView } from '#electron/core/shell-channels.ts';
import { folderView } from '#electron/core/views.ts';

export interface Setup {
  /** Shows the question. */
  ask(): void;
  /** Opens the dialog of the system, then shows the question with the chosen folder. */
  choose(): Promise<void>;
  /** Uses the shown folder and starts the gateway. */
  use(): Promise<void>;
}

export function createSetup(options: {
  readonly settings: SettingsFile;
  readonly say: (view: ShellView) => void;
  readonly start: () => Promise<void>;
}): Setup {
  const { settings, say, start } = options;
  let folder = suggestedFolder(app.getPath('home'));
  const ask = () => say(folderView(folder, folderProblem(folder) ?? null));
  return {
    ask,
    async choose() {
      const chosen = await dialog.showOpenDialog({
        title: 'Folder for the data of Headframe',
        defaultPath: folder,
        properties: ['openDirectory', 'createDirectory'],
      });
      const [path] = chosen.filePaths;
      if (chosen.canceled || path === undefined) return;
      // A person often chooses the folder in which the data folder should be.
      folder = folderProblem(path) === undefined ? path : suggestedFolder(path);
      ask();
    },
    async use() {
      if (folderProblem(folder) !== undefined) return ask();
      createFolder(folder);
      settings.change({ data: folder });
      await start();
    },
  };
}
