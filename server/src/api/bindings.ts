import type { Binding } from './binding.ts'
import { activityBindings } from './routes/activity.ts'
import { adminBindings } from './routes/admin.ts'
import { agentBindings } from './routes/agents.ts'
import { appBindings } from './routes/apps.ts'
import { artifactBindings } from './routes/artifacts.ts'
import { auditBindings } from './routes/audit.ts'
import { batchBindings } from './routes/batch.ts'
import { brainAccessBindings } from './routes/brain-access.ts'
import { brainWebhookBindings } from './routes/brain-webhooks.ts'
import { brainBindings } from './routes/brains.ts'
import { bundleBindings } from './routes/bundles.ts'
import { changeBindings } from './routes/changes.ts'
import { connectorBindings } from './routes/connectors.ts'
import { conversationBindings } from './routes/conversations.ts'
import { corpusBindings } from './routes/corpora.ts'
import { dateBindings } from './routes/dates.ts'
import { endingBindings } from './routes/deletions.ts'
import { derivedPageBindings } from './routes/derived-pages.ts'
import { distillationBindings } from './routes/distillations.ts'
import { documentBindings } from './routes/documents.ts'
import { evalBindings } from './routes/evals.ts'
import { eventBindings } from './routes/events.ts'
import { flowBindings } from './routes/flows.ts'
import { goalBindings } from './routes/goals.ts'
import { keyBindings } from './routes/keys.ts'
import { notificationBindings } from './routes/notifications.ts'
import { organizationBindings } from './routes/organization.ts'
import { organizationChangeBindings } from './routes/organization-changes.ts'
import { organizationWebhookBindings } from './routes/organization-webhooks.ts'
import { overviewBindings } from './routes/overview.ts'
import { packBindings } from './routes/packs.ts'
import { providerBindings } from './routes/providers.ts'
import { recordBindings } from './routes/records.ts'
import { retrievalBindings } from './routes/retrieval.ts'
import { runStreamBindings } from './routes/run-streams.ts'
import { runBindings } from './routes/runs.ts'
import { scheduleBindings } from './routes/schedules.ts'
import { schemaBindings } from './routes/schema.ts'
import { sharedRunBindings } from './routes/shared-runs.ts'
import { skillBindings } from './routes/skills.ts'
import { snapshotBindings } from './routes/snapshots.ts'
import { statementBindings } from './routes/statements.ts'
import { taskBindings } from './routes/tasks.ts'
import { transferBindings } from './routes/transfers.ts'
import { triggerBindings } from './routes/triggers.ts'
import { webSourceBindings } from './routes/web-sources.ts'

/** Every endpoint with its operation, for all edges. */
export const bindings: readonly Binding[] = [
  ...keyBindings,
  ...appBindings,
  ...adminBindings,
  ...auditBindings,
  ...organizationBindings,
  ...endingBindings,
  ...notificationBindings,
  ...brainAccessBindings,
  ...brainBindings,
  ...transferBindings,
  ...recordBindings,
  ...statementBindings,
  ...documentBindings,
  ...batchBindings,
  ...bundleBindings,
  ...snapshotBindings,
  ...webSourceBindings,
  ...skillBindings,
  ...changeBindings,
  ...organizationChangeBindings,
  ...schemaBindings,
  ...eventBindings,
  ...dateBindings,
  ...retrievalBindings,
  ...corpusBindings,
  ...brainWebhookBindings,
  ...organizationWebhookBindings,
  ...runStreamBindings,
  ...artifactBindings,
  ...providerBindings,
  ...connectorBindings,
  ...agentBindings,
  ...activityBindings,
  ...overviewBindings,
  ...runBindings,
  ...sharedRunBindings,
  ...taskBindings,
  ...conversationBindings,
  ...triggerBindings,
  ...scheduleBindings,
  ...evalBindings,
  ...goalBindings,
  ...flowBindings,
  ...distillationBindings,
  ...derivedPageBindings,
  ...packBindings,
]
