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

/** What the shapes say that have no docstring of their own. */
export const answerTexts: Record<keyof typeof answerSchemas, string> = {
  AgentAnswer: 'The agent.',
  BatchAnswer: 'What became of the batch, and the result of each operation.',
  BrainHeld: 'The Brain with its hold, or without one.',
  BrainKeyMinted: 'The new key and its secret.',
  BrainPut: 'The Brain, as it is now.',
  ChangeReverted: 'The change that reverts the other one.',
  ChangeSettled: 'The change as it is now, and new changes that wait for a decision.',
  ConversationAnswer: 'The conversation.',
  DocumentRetired: 'What became of the write, and the document that it retires.',
  DocumentWritten: 'What became of the write, and the document.',
  ManagementKeyMinted: 'The new key and its secret.',
  NotificationSettingsAnswer: 'The settings.',
  OrganizationSchemaAnswer: 'The schema of the organization.',
  ProjectAnswer: 'The project.',
  ProviderAnswer: 'The provider, without its API key.',
  RecordDeleted: 'What became of the write, and the record that it deletes.',
  RecordWritten: 'What became of the write, and the record.',
  RpcAnswer: 'A JSON-RPC 2.0 answer: `result` or `error`.',
  RpcMessage: 'A JSON-RPC 2.0 request, or a notification, which has no `id`.',
  RunStarted: 'The run.',
  ScheduleAnswer: 'The schedule.',
  SchemaProposal: 'The change that proposes the new schema, with its items.',
  SnapshotApplied: 'What became of the plan.',
  SnapshotPlanned: 'The plan.',
  StatementAsserted: 'What became of the write, and the statement.',
  StatementRetracted: 'What became of the write, and the statement that it retracts.',
}
