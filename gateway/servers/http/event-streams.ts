/** Starts the event streams (SSE) of the operations that declare a `stream`. */
import type { Request, Response } from 'express';
import type { EventStream } from '#contract/base/operation.ts';
import type { ShareKind } from '#contract/base/widget-kinds.ts';
import { permits } from '#contract/permissions.ts';
import type { DraftBoard, DraftViewer, FeedTarget } from '#contract/site/live.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import type { Auth } from './auth.ts';
import { type Callers, holderOf } from './callers.ts';
import { addressOf, type ReadCredential } from './gatekeeper.ts';
import type { Principal } from './holders.ts';
import type { Live } from './live.ts';
import type { TaskStreams } from './task-stream.ts';

type Call = Parameters<Invoke['call']>[0];
type Admitted = Awaited<ReturnType<Invoke['admit']>>;

/**
 * For each kind of stream, the function that returns the boards or the project of a call. The stream sends the changes of these boards or
 * of this project.
 */
const TARGETS: Readonly<
  Record<
    Exclude<EventStream, 'run'>,
    (admitted: Admitted, viewer: DraftViewer) => FeedTarget | { readonly office: string }
  >
> = {
  project: ({ project_id }) => ({ office: String(project_id) }),
  shared_board: ({ input }) => ({ share: String(input.share) }),
  draft_board: ({ project_id, input }, viewer) => ({ project_id, draft: input as unknown as DraftBoard, viewer }),
  board: ({ project_id, input }) => ({
    project_id,
    kind: input.kind as ShareKind,
    object_id: String(input.object_id),
  }),
};

/** Starts the stream of a call. If the caller may not read the stream, throws before it sends anything. */
export type ServeStream = (
  stream: EventStream,
  request: Request,
  response: Response,
  call: Call,
  principal: Principal,
) => Promise<void>;

export function createEventStreams(options: {
  invoke: Pick<Invoke, 'admit'>;
  auth: Auth;
  credential: ReadCredential;
  callers: Callers;
  live: Live;
  taskStreams: TaskStreams;
}): ServeStream {
  const { invoke, auth, credential, callers, live, taskStreams } = options;

  /** Returns true if the key of the request is still valid and still allows the call. */
  async function isStillAllowed(request: Request, call: Call): Promise<boolean> {
    try {
      const principal = await auth.authenticate(credential(request, 'person'), addressOf(request));
      await invoke.admit({ ...call, caller: callers.callerOf(request, principal, 'rest') });
      return true;
    } catch {
      return false;
    }
  }

  return async (stream, request, response, call, principal) => {
    const admitted = await invoke.admit(call);
    // A request with a display link has no key to check. When somebody revokes the link, the feed (the object that watches the boards of
    // the link) ends the stream.
    const allowed = async () => stream === 'shared_board' || (await isStillAllowed(request, call));
    const key = holderOf(principal, request);
    if (stream === 'run') return taskStreams.serve(request, response, call, allowed, key);
    const holder = stream === 'shared_board' ? `share:${admitted.input.share}` : key;
    const viewer = { holder: key, mayReadLinks: permits(principal, 'display_shares') };
    const target = TARGETS[stream](admitted, viewer);
    return live.serve(request, response, target, allowed, [holder, `address:${addressOf(request)}`]);
  };
}
