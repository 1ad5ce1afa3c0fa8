import { api } from '@noema/contracts/api.ts'
import { mcp } from '@noema/contracts/mcp.ts'

const { brain } = api

/** The answers that several operations or statuses share, by the names under which the document has them. */
export const answerSchemas = {
  AgentAnswer: api.agents.get.result,
  BatchAnswer: brain.batch.result,
  BrainHeld: brain.hold.result,
  BrainKeyMinted: brain.keys.mint.result,
  BrainPut: api.brains.put.result,
  ChangeReverted: brain.changes.revert.result,
  ChangeSettled: brain.changes.decide.result,
  ConversationAnswer: api.conversations.get.result,
  DocumentRetired: brain.documents.retire.result,
  DocumentWritten: brain.documents.put.result,
  ManagementKeyMinted: api.keys.mint.result,
  NotificationSettingsAnswer: api.notifications.settings.get.result,
  OrganizationSchemaAnswer: api.schemas.get.result,
  ProjectAnswer: api.projects.create.result,
  ProviderAnswer: api.providers.put.result,
  RecordDeleted: brain.records.delete.result,
  RecordWritten: brain.records.create.result,
  RpcAnswer: mcp.result,
  RpcMessage: mcp.body,
  RunStarted: api.runs.start.result,
  ScheduleAnswer: api.schedules.create.result,
  SchemaProposal: brain.schema.evolve.result,
  SnapshotApplied: brain.snapshots.apply.result,
  SnapshotPlanned: brain.snapshots.plan.result,
  StatementAsserted: brain.statements.assert.result,
  StatementRetracted: brain.statements.retract.result,
}
