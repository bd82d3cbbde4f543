/** Virtual time: what is to happen, in order; nothing waits for a real clock. */
import { createHash } from 'node:crypto';
import type { Cancel } from '#ingest/journal/timers.ts';
import type { Random } from './random.ts';

interface Task {
  readonly at: number;
  /** Breaks ties, so that simultaneous things happen in any order. */
  readonly order: number;
  readonly label: string;
  call: (() => void) | undefined;
}

const turn = () => new Promise<void>((done) => setImmediate(done));

function isBefore(a: Task, b: Task): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

export class Scheduler {
  /** Milliseconds since the world began. */
  now = 0;
  steps = 0;
  private readonly heap: Task[] = [];
  private readonly hash = createHash('sha256');
  private readonly random: Random;
  /** Hears of everything that happens, for looking at one seed. */
  watch: ((line: string) => void) | undefined;

  constructor(random: Random) {
    this.random = random;
  }

  after(ms: number, label: string, call: () => void): Cancel {
    const task: Task = { at: this.now + Math.max(0, ms), order: this.random.next(), label, call };
    this.push(task);
    return () => {
      task.call = undefined;
    };
  }

  /** Lets the next thing happen, and everything that follows from it at once; false when there is nothing. */
  async step(): Promise<boolean> {
    for (let task = this.pop(); task !== undefined; task = this.pop()) {
      const { call } = task;
      if (call === undefined) continue;
      task.call = undefined;
      this.now = Math.max(this.now, task.at);
      this.steps++;
      this.note(task.label);
      call();
      await turn();
      return true;
    }
    return false;
  }

  /** Adds a line to the trace. */
  note(line: string): void {
    const text = `${this.now.toFixed(3)} ${line}\n`;
    this.hash.update(text);
    this.watch?.(text);
  }

  /** Stands for everything that happened. */
  trace(): string {
    return this.hash.copy().digest('hex').slice(0, 16);
  }

  private push(task: Task): void {
    const { heap } = this;
    let at = heap.push(task) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(task, heap[above] as Task)) break;
      heap[at] = heap[above] as Task;
      at = above;
    }
    heap[at] = task;
  }

  private pop(): Task | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1] as Task, heap[below] as Task)) below++;
      if (!isBefore(heap[below] as Task, last)) break;
      heap[at] = heap[below] as Task;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}
