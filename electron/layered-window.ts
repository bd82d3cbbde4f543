/**
 * A window with two layers: the page of the gateway, and above it the shell page of the app, which says what happens while the gateway does
 * not run. The page below stays loaded, so that a restart of the gateway loses no text that a person has typed.
 */
import {
  BaseWindow,
  type BaseWindowConstructorOptions,
  type Session,
  type WebContents,
  WebContentsView,
} from 'electron';
import { type Act, SHELL_PAGE, type ShellView } from '#electron/core/shell-channels.ts';
import { setHome, webPreferences } from './hardening.ts';
import type { ShellPages } from './shell-pages.ts';

export interface LayeredWindow {
  readonly window: BaseWindow;
  readonly content: WebContents;
  readonly shell: WebContents;
  /** Shows the shell page with this view; undefined: shows the content. */
  show(view: ShellView | undefined): void;
  /** Loads an address into the content layer; failures are reported by the events of `content`. */
  load(url: string): void;
}

export function openLayeredWindow(options: {
  readonly window: BaseWindowConstructorOptions;
  readonly session: Session;
  readonly shellPages: ShellPages;
  readonly act: (act: Act) => void;
}): LayeredWindow {
  const window = new BaseWindow({ title: 'Headframe', backgroundColor: '#101418', ...options.window });
  const content = new WebContentsView({ webPreferences: webPreferences({ session: options.session }) });
  const shell = options.shellPages.open(options.act);
  window.contentView.addChildView(content);
  window.contentView.addChildView(shell.view);
  const fit = () => {
    const { width, height } = window.getContentBounds();
    for (const view of [content, shell.view]) view.setBounds({ x: 0, y: 0, width, height });
  };
  window.on('resize', fit);
  fit();
  setHome(shell.view.webContents, SHELL_PAGE);
  window.on('closed', () => {
    shell.close();
    content.webContents.close();
    shell.view.webContents.close();
  });
  return {
    window,
    content: content.webContents,
    shell: shell.view.webContents,
    show(view) {
      if (view !== undefined) shell.show(view);
      shell.view.setVisible(view !== undefined);
      (view === undefined ? content : shell.view).webContents.focus();
    },
    load(url) {
      setHome(content.webContents, url);
      // The event `did-fail-load` reports a failure.
      content.webContents.loadURL(url).catch(() => {});
    },
  };
}
