/** Every failure code of the specification is reached by a test. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { RUN_ERRORS } from '#contract/work/run-errors.ts';

const AGENT = 'agent/codes.test.ts';
const STORE = 'runs/store-faults.test.ts';
const WORKERS = 'handlers/tasks/worker-runs.test.ts';

/** For each code of the table "Run failure envelope" of the specification: the file with the test that reaches it, and the rule of the test. */
const REACHED: Readonly<Record<string, readonly [file: string, rule: string]>> = {
  provider_transient: [AGENT, 'AG20'],
  provider_terminal: [AGENT, 'AG20'],
  provider_rate_limited: [AGENT, 'AG20'],
  provider_auth_failed: [AGENT, 'AG20'],
  model_not_available: [AGENT, 'AG20'],
  tool_timeout: [AGENT, 'AG22'],
  tool_failed: [AGENT, 'AG22'],
  instruction_timeout: [AGENT, 'AG21'],
  missing_expected_tool: [AGENT, 'AG22'],
  payload_contract_violation: [AGENT, 'AG22'],
  queue_pickup_timeout: [WORKERS, 'A411'],
  run_liveness_timeout: [AGENT, 'AG21'],
  run_never_started: [STORE, 'Q45'],
  run_evicted_by_deploy: [AGENT, 'AG27'],
  run_invocation_died: [AGENT, 'AG27'],
  run_invocation_ceiling: [AGENT, 'AG21'],
  run_cpu_ceiling: ['runs/turns.test.ts', 'Q13'],
  run_continuation_limit: [AGENT, 'AG22'],
  run_continuation_no_queue: [STORE, 'Q46'],
  run_recovery_unwritable: [STORE, 'Q47'],
  backend_unavailable: [AGENT, 'AG21'],
  backend_callback_never_arrived: [WORKERS, 'A618'],
  backend_wall_clock_timeout: [WORKERS, 'A411'],
  stream_transport_failed: [AGENT, 'AG21'],
  project_paused: [AGENT, 'AG24'],
  project_run_mode_unreadable: [AGENT, 'AG26'],
  project_awaiting_approval: [AGENT, 'AG24'],
  project_approval_unreadable: [AGENT, 'AG26'],
  spend_cap_reached: [AGENT, 'AG23'],
  budget_exceeded: [AGENT, 'AG23'],
  skill_instance_not_found: [AGENT, 'AG26'],
  task_auto_paused_repeat_failure: [AGENT, 'AG27'],
  unknown: [AGENT, 'AG26'],
};

/** Returns the source of each test of a file. */
function testsOf(file: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '..', file), 'utf8');
  return text.split(/^(?=test\()/m).filter((part) => part.startsWith('test('));
}

test('[A207] each code of the specification is asserted by the test of its rule', () => {
  for (const [code, reached] of Object.entries(REACHED)) {
    assert.ok(code in RUN_ERRORS, code);
    const [file, rule] = reached;
    const found = testsOf(file).filter((source) => source.includes(`[${rule}]`) && source.includes(`'${code}'`));
    assert.ok(found.length > 0, `no test of ${rule} in ${file} asserts ${code}`);
  }
  const others = Object.keys(RUN_ERRORS).filter((code) => !(code in REACHED));
  assert.deepEqual(
    others.filter((code) => !/^(recording|description)_/.test(code)),
    [],
  );
});
