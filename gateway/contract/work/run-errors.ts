/** The error codes of runs. */

/** Error codes of runs, each with what a person should do. The transcript of the run shows the code and this text. */
export const RUN_ERRORS = {
  provider_transient: 'Start the work again (tasks_run). The model provider had a temporary fault.',
  provider_terminal: 'Read the message of the model provider and change what it names.',
  provider_rate_limited: 'Wait, or raise the rate limit with the model provider.',
  provider_auth_failed:
    'Enter a valid key of the model provider under Agent (`provider_key` of the review configuration).',
  model_not_available:
    'Enter a model server under Agent, and a model that it offers (`provider` of the review configuration).',
  tool_timeout: 'Check what the tool waits for, then start the work again.',
  tool_failed: 'Read the error of the tool in the transcript and remove its cause.',
  instruction_timeout: 'Ask for less in one instruction.',
  missing_expected_tool: 'Allow the tool that the work needs (`allowed_tools` of the review configuration).',
  payload_contract_violation: 'Start the work again. If it fails in the same way, report the run.',
  queue_pickup_timeout: 'Start the worker that does this kind of work, then start the work again.',
  run_liveness_timeout: 'Check that the worker or the model server is running, then start the work again.',
  run_never_started: 'Remove the cause that the log of the gateway names, then start the work again.',
  run_evicted_by_deploy: 'Nothing: a replacement run was started after the upgrade.',
  run_invocation_died: 'Nothing: a replacement run was started.',
  run_invocation_ceiling: 'Split the work into smaller pieces.',
  run_cpu_ceiling: 'Split the work into smaller pieces.',
  run_continuation_limit: 'Split the work into smaller pieces, or use a model that uses tools better.',
  run_continuation_no_queue:
    'Nothing: a replacement run was started. If it happens again, check the disk under Health.',
  run_recovery_unwritable: 'Nothing: a replacement run was started. If it happens again, check the disk under Health.',
  backend_unavailable:
    'Start the server or the version of the gateway that does this work, check its address, or do the work by hand.',
  backend_callback_never_arrived: 'Check the detached worker, then start the work again.',
  backend_wall_clock_timeout: 'Split the work into smaller pieces.',
  stream_transport_failed: 'Start the work again.',
  project_paused: 'Set the run mode of the project to auto or review, then start the work again (tasks_run).',
  project_run_mode_unreadable: 'Save the review configuration of the project again.',
  project_awaiting_approval: 'Read the transcript, then approve the work (tasks_run with approve).',
  project_approval_unreadable: 'Approve the work again (tasks_run with approve).',
  spend_cap_reached: 'Raise the spend cap of the project (`spend_cap_usd` of the review configuration).',
  budget_exceeded: 'Raise the budget that `limits` names (`token_budget` of the review configuration).',
  skill_instance_not_found: 'Import the skill again.',
  task_auto_paused_repeat_failure: 'Remove the cause given in the last runs, then start the work again.',
  unknown: 'Search the log of the gateway for the id of the run.',
  // Errors of setups and of log files, in addition to those of the specification.
  description_unreadable:
    'Write which machines the site has, for example "Three Cat 777G haul trucks, HT-01 to HT-03, in the North Pit".',
  description_contradictory: 'Write once how many machines of this kind the site has, then start the setup again.',
  description_too_many_machines: 'Correct the number, or divide the machines into several descriptions.',
  description_too_long:
    'Keep the lines about machines, places, shifts and people, or set up the site in several steps.',
  recording_missing: 'Upload the file again.',
  recording_unreadable: 'Check that the file is a CAN bus log, and copy it from the logger again.',
  recording_empty: 'Check the logger: it recorded nothing, or the copy is incomplete.',
  recording_too_dense: 'Check that the file is a CAN bus log. If it is, upload it uncompressed or in smaller files.',
  recording_locked: 'Enter the password of the logger, then decode the file again.',
} as const;

export type RunErrorCode = keyof typeof RUN_ERRORS;
