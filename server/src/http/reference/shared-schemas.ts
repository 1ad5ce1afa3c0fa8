import { brainRole } from '@noema/contracts/access.ts'
import { accessRequest } from '@noema/contracts/access-requests.ts'
import * as activity from '@noema/contracts/activity.ts'
import { activityDay } from '@noema/contracts/activity-days.ts'
import * as admin from '@noema/contracts/admin.ts'
import * as agents from '@noema/contracts/agents.ts'
import { app, appGrant } from '@noema/contracts/apps.ts'
import { auditAction, auditEntry } from '@noema/contracts/audit.ts'
import { operation, operationResult } from '@noema/contracts/batch.ts'
import { brainAccess, brainMember, restrictedBrain } from '@noema/contracts/brain-access.ts'
import { brain, brainDetail, hold, reviewRules } from '@noema/contracts/brains.ts'
import { bundleWrite } from '@noema/contracts/bundles.ts'
import { changeEval, evalSide, flippedCases } from '@noema/contracts/change-evals.ts'
import * as changes from '@noema/contracts/changes.ts'
import { actor, deletedResult, provenance, provenanceInput } from '@noema/contracts/common.ts'
import { connector, connectorTool, connectorWithTools } from '@noema/contracts/connectors.ts'
import { contextItem, contextMessage, spentBudget } from '@noema/contracts/context.ts'
import { conversation } from '@noema/contracts/conversations.ts'
import { corpus, corpusHit, corpusItem, corpusPart, failedPart, readPart } from '@noema/contracts/corpora.ts'
import { comingDate } from '@noema/contracts/dates.ts'
import { organizationContents, organizationExportLine } from '@noema/contracts/deletions.ts'
import { derivedPage } from '@noema/contracts/derived-pages.ts'
import { distillation, distillationSource, distilledItem } from '@noema/contracts/distillations.ts'
import {
  document,
  documentArtifact,
  documentSequence,
  documentSource,
  newDocument,
  ownValues,
} from '@noema/contracts/documents.ts'
import { errorBody, errorDetail } from '@noema/contracts/errors.ts'
import { evalResult, evalRun } from '@noema/contracts/eval-runs.ts'
import * as evals from '@noema/contracts/evals.ts'
import { brainEvent } from '@noema/contracts/events.ts'
import { exportedProvenance, exportLine } from '@noema/contracts/exports.ts'
import { step } from '@noema/contracts/flows.ts'
import { goal, goalAttempt, goalBudget } from '@noema/contracts/goals.ts'
import * as graders from '@noema/contracts/graders.ts'
import { brainKey, managementKey } from '@noema/contracts/keys.ts'
import { inputMessage, message, messagePart } from '@noema/contracts/messages.ts'
import { notification, notificationSettings, waiting } from '@noema/contracts/notifications.ts'
import { listedModel } from '@noema/contracts/openai-models.ts'
import { outputMessage, response } from '@noema/contracts/openai-responses.ts'
import { organizationChange } from '@noema/contracts/organization-changes.ts'
import { organizationDelivery, organizationWebhook } from '@noema/contracts/organization-webhooks.ts'
import { packParameter } from '@noema/contracts/pack-files.ts'
import { pack } from '@noema/contracts/packs.ts'
import { project } from '@noema/contracts/projects.ts'
import { provider, sentHeaders } from '@noema/contracts/providers.ts'
import { receipt, servedVersion } from '@noema/contracts/receipts.ts'
import {
  fields,
  link,
  newRecord,
  newRecordBody,
  record,
  recordMerge,
  recordPatch,
  recordRef,
} from '@noema/contracts/records.ts'
import { criterion, rubric } from '@noema/contracts/rubrics.ts'
import { run, runInput, runUsage } from '@noema/contracts/runs.ts'
import { schedule } from '@noema/contracts/schedules.ts'
import { brainSchema, emergedStructure, schemaOperation } from '@noema/contracts/schema.ts'
import { schemaField, schemaKind, schemaLink } from '@noema/contracts/schema-kinds.ts'
import { degradation, searchHit, searchReason, span } from '@noema/contracts/search.ts'
import {
  agentSkill,
  newAgentSkill,
  skill,
  skillFileFacts,
  skillWithFiles,
  skillWrite,
} from '@noema/contracts/skills.ts'
import { planItem, snapshot } from '@noema/contracts/snapshots.ts'
import { newStatement, statement, statementObject, statementSource } from '@noema/contracts/statements.ts'
import { task } from '@noema/contracts/tasks.ts'
import { listedTrigger, trigger } from '@noema/contracts/triggers.ts'
import { webPage, webSource } from '@noema/contracts/web-sources.ts'
import { testResult } from '@noema/contracts/webhook-endpoints.ts'
import { webhook, webhookDelivery, webhookProgress } from '@noema/contracts/webhooks.ts'

/** The shapes that several operations share, by the names under which the document has them. */
export const sharedSchemas = {
  AccessRequest: accessRequest,
  ActivityDay: activityDay,
  ActivityOperation: activity.operation,
  Actor: actor,
  AdministeredMail: admin.administeredMail,
  AdministeredOrganization: admin.administeredOrganization,
  AdminEvent: admin.adminEvent,
  Agent: agents.agent,
  AgentDefinition: agents.agentDefinition,
  AgentLimits: agents.agentLimits,
  AgentSkill: agentSkill,
  AgentTool: agents.agentTool,
  AgentVersion: agents.agentVersion,
  App: app,
  AppGrant: appGrant,
  AuditAction: auditAction,
  AuditEntry: auditEntry,
  Brain: brain,
  BrainAccess: brainAccess,
  BrainDetail: brainDetail,
  BrainEvent: brainEvent,
  BrainExportLine: exportLine,
  BrainKey: brainKey,
  BrainMember: brainMember,
  BrainRecord: record,
  BrainRole: brainRole,
  BrainSchema: brainSchema,
  BrainWebhook: webhook,
  BrainWebhookProgress: webhookProgress,
  BrainWebhookDelivery: webhookDelivery,
  Change: changes.changeDetail,
  ChangeFinding: changes.changeFinding,
  ChangeItem: changes.changeItem,
  ChangeRef: changes.changeRef,
  ChangeSchemaItem: changes.changeSchemaItem,
  ChangeSummary: changes.changeSummary,
  ChangeTarget: changes.changeTarget,
  ComingDate: comingDate,
  Connector: connector,
  ConnectorTool: connectorTool,
  ConnectorWithTools: connectorWithTools,
  ContextBudget: spentBudget,
  ContextItem: contextItem,
  Conversation: conversation,
  Degradation: degradation,
  Corpus: corpus,
  CorpusFailedPart: failedPart,
  CorpusItem: corpusItem,
  CorpusPart: corpusPart,
  CorpusReadPart: readPart,
  CorpusSearchHit: corpusHit,
  Deleted: deletedResult,
  Document: document,
  DerivedPage: derivedPage,
  Distillation: distillation,
  DistillationSource: distillationSource,
  DistilledItem: distilledItem,
  DocumentSequence: documentSequence,
  DocumentSource: documentSource,
  EmergedStructure: emergedStructure,
  Eval: evals.evalView,
  EvalCase: evals.evalCase,
  EvalExpectation: graders.expectation,
  EvalGrade: graders.grade,
  EvalGrader: graders.grader,
  EvalItem: graders.expectedItem,
  EvalNewTarget: evals.newTarget,
  EvalResult: evalResult,
  ChangeEval: changeEval,
  EvalSide: evalSide,
  FlippedCases: flippedCases,
  EvalRun: evalRun,
  EvalTarget: evals.evalTarget,
  EvalVersion: evals.evalVersion,
  Goal: goal,
  GoalAttempt: goalAttempt,
  GoalBudget: goalBudget,
  FlowStep: step,
  Rubric: rubric,
  RubricCriterion: criterion,
  Error: errorBody,
  ErrorDetail: errorDetail,
  ExportedProvenance: exportedProvenance,
  Hold: hold,
  ContextMessage: contextMessage,
  InputMessage: inputMessage,
  InvitationCode: admin.invitationCode,
  Link: link,
  ManagementKey: managementKey,
  Message: message,
  MessagePart: messagePart,
  NewAgentSkill: newAgentSkill,
  NewDocument: newDocument,
  RecordBody: newRecordBody,
  RecordMerge: recordMerge,
  ReviewRules: reviewRules,
  DocumentArtifact: documentArtifact,
  OwnValues: ownValues,
  ListedModel: listedModel,
  ServedVersion: servedVersion,
  SentHeaders: sentHeaders,
  Waiting: waiting,
  FieldsInput: fields,
  NewRecord: newRecord,
  NewStatement: newStatement,
  Notification: notification,
  NotificationSettings: notificationSettings,
  OpenAiOutputMessage: outputMessage,
  OpenAiResponse: response,
  Operation: operation,
  OperationResult: operationResult,
  OrganizationChange: organizationChange,
  OrganizationContents: organizationContents,
  OrganizationDelivery: organizationDelivery,
  OrganizationExportLine: organizationExportLine,
  OrganizationWebhook: organizationWebhook,
  Pack: pack,
  PlanItem: planItem,
  Project: project,
  Provenance: provenance,
  ProvenanceInput: provenanceInput,
  Provider: provider,
  Receipt: receipt,
  RecordPatch: recordPatch,
  RecordRef: recordRef,
  RestrictedBrain: restrictedBrain,
  Run: run,
  RunInput: runInput,
  RunUsage: runUsage,
  Schedule: schedule,
  SchemaField: schemaField,
  SchemaKind: schemaKind,
  SchemaLink: schemaLink,
  SchemaOperation: schemaOperation,
  SearchHit: searchHit,
  SearchReason: searchReason,
  Skill: skill,
  SkillFile: skillFileFacts,
  SkillWithFiles: skillWithFiles,
  SkillWrite: skillWrite,
  BundleWrite: bundleWrite,
  PackParameter: packParameter,
  Snapshot: snapshot,
  Span: span,
  Statement: statement,
  StatementObject: statementObject,
  StatementSource: statementSource,
  Task: task,
  Trigger: trigger,
  TriggerWithRuns: listedTrigger,
  WebPage: webPage,
  WebSource: webSource,
  WebhookTest: testResult,
}
