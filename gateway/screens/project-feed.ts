/**
 * The feed of the office page: it sends the machines and devices of a project, and later their changes, to all open office pages. There is
 * one feed for each project, and the gateway composes its content only while a page is open.
 *
 * Every two seconds the feed composes the rows of the machines and devices that have changed. It sends the rows that are different from the
 * rows that it sent before. For changes of other objects it sends only the kind of the object; the page then reads the list of these
 * objects again.
 */

import { NODE_PROJECT } from '#contract/base/view.ts';
import type { Links, LiveReader } from '#contract/context.ts';
import type { ProjectFeed } from '#contract/site/project-live.ts';
import type { Store } from '#store/open-store.ts';
import type { SiteAttention } from './attention.ts';
import { type ProjectListener, ProjectState } from './project-state.ts';

/** The largest number of projects with an open feed. When this number is reached, the feeds that no page uses are closed. */
const MOST_PROJECTS = 64;
const SEND_MS = 2_000;

export interface ProjectFeedServices {
  readonly store: Store;
  readonly live: LiveReader & Links;
  /** Calls the listener with the machines and devices that have new values. */
  readonly watch: (
    listener: (changed: { readonly equipment: ReadonlySet<string>; readonly devices: ReadonlySet<string> }) => void,
  ) => () => void;
  readonly clock: () => number;
  readonly attention: SiteAttention;
  /** Milliseconds between two messages with changes. Default: 2,000. */
  readonly sendMs?: number;
}

/** The feeds of all projects. */
export interface ProjectFeeds extends Disposable {
  open(project_id: string): Promise<ProjectFeed>;
}

/** Creates the feeds. The content of a feed is composed when the first page of its project opens. */
export function createProjectFeeds(services: ProjectFeedServices): ProjectFeeds {
  const { store, live, clock, attention } = services;
  const opening = new Map<string, Promise<ProjectState>>();
  const open = new Map<string, ProjectState>();

  const stops = [
    services.watch(({ equipment, devices }) => {
      for (const state of open.values()) state.markChanged(equipment, devices);
    }),
    store.changes((changes) => {
      for (const change of changes) {
        const { document } = change;
        const id = document.project_id === NODE_PROJECT ? document.id : document.project_id;
        open.get(id)?.note(change);
      }
    }),
  ];
  const timer = setInterval(() => {
    for (const [project_id, state] of open) {
      attention.keep(project_id);
      state.send();
    }
  }, services.sendMs ?? SEND_MS);
  timer.unref();

  async function compose(project_id: string): Promise<ProjectState> {
    await attention.open(project_id);
    const state = new ProjectState(live, clock, (id) => attention.standing(project_id, id));
    // Add the state to the map before the read, so that changes during the read are passed to this state too.
    open.set(project_id, state);
    await state.read(store.view(project_id));
    return state;
  }

  function close(id: string): void {
    open.delete(id);
    opening.delete(id);
  }

  function obtain(project_id: string): Promise<ProjectState> {
    const known = opening.get(project_id);
    if (known !== undefined) return known;
    if (opening.size >= MOST_PROJECTS) for (const [id, state] of open) if (state.listeners.size === 0) close(id);
    const made = compose(project_id);
    opening.set(project_id, made);
    made.catch(() => close(project_id));
    return made;
  }

  return {
    async open(project_id) {
      const state = await obtain(project_id);
      return {
        snapshot: () => state.snapshot(),
        subscribe(listener) {
          const own: ProjectListener = (event) => listener(event);
          state.listeners.add(own);
          return () => {
            state.listeners.delete(own);
            if (state.listeners.size === 0) close(project_id);
          };
        },
      };
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      for (const stop of stops) stop();
      open.clear();
      opening.clear();
    },
  };
}
