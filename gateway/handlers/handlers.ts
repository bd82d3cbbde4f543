/** Every operation that is not a stream, assembled. */

import { alertRuleHandlers } from './alert-rules.ts';
import { alertHandlers } from './alerts.ts';
import { artifactHandlers } from './artifacts.ts';
import { auditHandlers } from './audit.ts';
import { bucketRollHandlers } from './bucket-roll.ts';
import { busRequestHandlers } from './bus-requests.ts';
import { claimHandlers } from './claim.ts';
import { customActionHandlers } from './custom-actions.ts';
import { dashboardHandlers } from './dashboards.ts';
import { dbcHandlers } from './dbc.ts';
import { decodeHandlers } from './decodes.ts';
import { deviceBusHandlers } from './device-bus.ts';
import { deviceConfigHandlers } from './device-config.ts';
import { deviceDiagnosisHandlers } from './device-diagnosis.ts';
import { deviceFirmwareHandlers } from './device-firmware.ts';
import { deviceKeyHandlers } from './device-keys.ts';
import { linkHandlers } from './device-links.ts';
import { deviceMatchHandlers } from './device-match.ts';
import { provisionHandlers } from './device-provision.ts';
import { telemetryHandlers } from './device-telemetry.ts';
import { deviceToolHandlers } from './device-tools.ts';
import { deviceHandlers } from './devices.ts';
import { shareHandlers } from './display-shares.ts';
import { equipmentHandlers } from './equipment.ts';
import { eventHandlers } from './events.ts';
import type { Handlers } from './handler.ts';
import { healthHandlers } from './health.ts';
import { keyHandlers } from './keys.ts';
import { learningHandlers } from './learnings.ts';
import { locationHandlers } from './locations.ts';
import { pairingHandlers } from './pairings.ts';
import { peopleHandlers } from './people.ts';
import { personalTokenHandlers } from './personal-tokens.ts';
import { playlistHandlers } from './playlists.ts';
import { preferenceHandlers } from './preferences.ts';
import { projectHandlers } from './projects.ts';
import { provisionInfoHandlers } from './provision-info.ts';
import { quarantineHandlers } from './quarantine.ts';
import { repairTicketHandlers } from './repair-tickets.ts';
import { setupHandlers } from './setup.ts';
import { shiftDraftHandlers } from './shift-drafts.ts';
import { shiftReportHandlers } from './shift-reports.ts';
import { skillHandlers } from './skills.ts';
import { taskHandlers } from './tasks.ts';
import { webhookHandlers } from './webhooks.ts';
import { workerRunHandlers } from './worker-runs.ts';

export const handlers = {
  ...projectHandlers,
  ...deviceHandlers,
  ...deviceToolHandlers,
  ...deviceKeyHandlers,
  ...deviceConfigHandlers,
  ...deviceDiagnosisHandlers,
  ...busRequestHandlers,
  ...quarantineHandlers,
  ...deviceFirmwareHandlers,
  ...deviceMatchHandlers,
  ...deviceBusHandlers,
  ...provisionHandlers,
  ...provisionInfoHandlers,
  ...bucketRollHandlers,
  ...artifactHandlers,
  ...dbcHandlers,
  ...decodeHandlers,
  ...linkHandlers,
  ...telemetryHandlers,
  ...equipmentHandlers,
  ...locationHandlers,
  ...peopleHandlers,
  ...eventHandlers,
  ...dashboardHandlers,
  ...playlistHandlers,
  ...shareHandlers,
  ...pairingHandlers,
  ...keyHandlers,
  ...personalTokenHandlers,
  ...claimHandlers,
  ...repairTicketHandlers,
  ...shiftReportHandlers,
  ...shiftDraftHandlers,
  ...alertHandlers,
  ...alertRuleHandlers,
  ...webhookHandlers,
  ...setupHandlers,
  ...taskHandlers,
  ...workerRunHandlers,
  ...healthHandlers,
  ...auditHandlers,
  ...preferenceHandlers,
  ...learningHandlers,
  ...customActionHandlers,
  ...skillHandlers,
} satisfies Handlers;
