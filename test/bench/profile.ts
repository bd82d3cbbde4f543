/** A profile of the processor time of a process that runs already, through the inspector of Node. */
import { once } from 'node:events';
import type { Profiler } from 'node:inspector';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '#test/support/gateway.ts';

/** Time between two samples of a profile, in microseconds. */
const SAMPLE_US = 500;

/** Profiles a process for some seconds. It was started with `--inspect-port=PORT`, which opens nothing before this. */
export async function profileOf(pid: number, port: number, seconds: number): Promise<Profiler.Profile> {
  process.kill(pid, 'SIGUSR1');
  const targets = await eventually(
    async () => (await fetch(`http://127.0.0.1:${port}/json/list`).catch(() => undefined))?.json(),
    (answer) => answer !== undefined,
  );
  const socket = new WebSocket((targets as { webSocketDebuggerUrl: string }[])[0]?.webSocketDebuggerUrl ?? '');
  await once(socket, 'open');
  let last = 0;
  const ask = async (method: string, params = {}): Promise<unknown> => {
    const id = ++last;
    socket.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [event] = (await once(socket, 'message')) as [{ readonly data: string }];
      const answer = JSON.parse(event.data) as { id?: number; result?: unknown; error?: unknown };
      if (answer.error !== undefined) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
      if (answer.id === id) return answer.result;
    }
  };
  await ask('Profiler.enable');
  await ask('Profiler.setSamplingInterval', { interval: SAMPLE_US });
  await ask('Profiler.start');
  await sleep(seconds * 1_000);
  const { profile } = (await ask('Profiler.stop')) as Profiler.StopReturnType;
  socket.close();
  return profile;
}

/** Of the time of a profile, the percent of the samples for which `holds` is true. It gets the files of the stack, the caller first. */
export function percentOf(profile: Profiler.Profile, holds: (files: readonly string[]) => boolean): number {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const counted = new Map<number, boolean>();
  const walk = (id: number, above: readonly string[]): void => {
    const node = nodes.get(id);
    if (node === undefined) return;
    const files = [...above, node.callFrame.url];
    counted.set(id, node.callFrame.functionName !== '(idle)' && holds(files));
    for (const child of node.children ?? []) walk(child, files);
  };
  const root = profile.nodes[0];
  if (root !== undefined) walk(root.id, []);
  const { samples = [], timeDeltas = [] } = profile;
  let us = 0;
  for (const [i, id] of samples.entries()) if (counted.get(id) === true) us += timeDeltas[i] ?? 0;
  return (us / (profile.endTime - profile.startTime)) * 100;
}
