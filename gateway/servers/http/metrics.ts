/**
 * Serves metrics for Prometheus at `/metrics`. At each scrape (a request of Prometheus) it calls functions of other parts of the gateway to
 * get their values.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** One metric of another part of the gateway; `read` is called at each scrape. */
export interface Measure {
  readonly name: string;
  readonly help: string;
  /** Returns one value, or one value for each set of labels. */
  read(): number | readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
  readonly labels?: readonly string[];
}

export interface Metrics {
  /** Counts one answered request under its operation name and status. */
  answered(operation: string, status: number, seconds: number): void;
  refused(reason: string): void;
  readonly contentType: string;
  text(): Promise<string>;
}

/** Creates the metrics of one server, with a separate registry, so that two servers in one process do not share values. */
export function createMetrics(measures: readonly Measure[]): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'headframe_http_request_seconds',
    help: 'Time to answer a request, by operation and status.',
    labelNames: ['operation', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  });
  const refusals = new Counter({
    name: 'headframe_http_refused_total',
    help: 'Requests and sockets refused, by reason.',
    labelNames: ['reason'],
    registers,
  });
  for (const measure of measures)
    new Gauge({
      name: measure.name,
      help: measure.help,
      labelNames: measure.labels ?? [],
      registers,
      collect() {
        const value = measure.read();
        if (typeof value === 'number') return this.set(value);
        this.reset();
        for (const row of value) this.set(row.labels, row.value);
      },
    });
  return {
    answered: (operation, status, seconds) => requests.observe({ operation, status: String(status) }, seconds),
    refused: (reason) => refusals.inc({ reason }),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
