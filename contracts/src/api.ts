import { approveAccessRequest, listAccessRequests, refuseAccessRequest, requestAccess } from './access-requests.ts'
import { listActivity, listRunOperations } from './activity.ts'
import { readActivityDays } from './activity-days.ts'
import {
  createInvitationCode,
  deleteInvitationCode,
  listAdminEvents,
  listInvitationCodes,
  listMail,
  listOrganizations,
  retryMail,
  setBillingTier,
} from './admin.ts'
import {
  endOrganization,
  getAdministeredOrganization,
  listTiers,
  previewOrganizationEnd,
} from './administered-organizations.ts'
import { createAgent, deleteAgent, getAgent, listAgents, listAgentVersions, patchAgent } from './agents.ts'
import * as apps from './apps.ts'
import { artifactEndpoints } from './artifacts.ts'
import { listAudit } from './audit.ts'
import { batch } from './batch.ts'
import * as brainAccess from './brain-access.ts'
import { deleteBrain, getBrain, listBrains, patchBrain, putBrain } from './brains.ts'
import { bundleEndpoints } from './bundles.ts'
import { changeEndpoints } from './change-endpoints.ts'
import * as connectors from './connectors.ts'
import { readContext } from './context.ts'
import * as conversations from './conversations.ts'
import { corpusEndpoints } from './corpora.ts'
import { listDates } from './dates.ts'
import * as deletions from './deletions.ts'
import { derivedPageEndpoints } from './derived-pages.ts'
import { distillationEndpoints } from './distillations.ts'
import { documentEndpoints } from './documents.ts'
import type { Endpoint } from './endpoint.ts'
import { evalApi } from './evals.ts'
import { listEvents } from './events.ts'
import { exportBrain, importBrain } from './exports.ts'
import { flowEndpoints } from './flows.ts'
import { goalEndpoints } from './goals.ts'
import { holdBrain, releaseBrain } from './holds.ts'
import * as keys from './keys.ts'
import { readNames } from './names.ts'
import { listNeighbours } from './neighbours.ts'
import {
  countWaiting,
  getNotificationSettings,
  listNotifications,
  patchNotificationSettings,
  readNotifications,
} from './notifications.ts'
import { getOrganization } from './organization.ts'
import { listOrganizationChanges } from './organization-changes.ts'
import * as webhooks from './organization-webhooks.ts'
import { readOverview } from './overview.ts'
import { packEndpoints } from './packs.ts'
import { createProject, deleteProject, getProject, listProjects, patchProject } from './projects.ts'
import { deleteProvider, getProvider, listProviders, putProvider, testProvider } from './providers.ts'
import { queryRecords } from './query.ts'
import { getReceipt, listReceipts } from './receipts.ts'
import {
  createRecord,
  deleteRecord,
  getRecord,
  listRecordHistory,
  listRecords,
  mergeRecord,
  patchRecord,
  putRecord,
} from './records.ts'
import { streamRun } from './run-stream.ts'
import { cancelRun, getRun, listRunMessages, listRuns, startRun } from './runs.ts'
import { scheduleEndpoints } from './schedules.ts'
import { evolveSchema, getSchema, getSchemaLineage, listEmerged, promoteEmerged } from './schema.ts'
import { getOrganizationSchema, listOrganizationSchemas, putOrganizationSchema } from './schemas.ts'
import { searchBrain } from './search.ts'
import { readServiceHealth } from './service-health.ts'
import { listRunShares, revokeRunShare, shareRun } from './shared-runs.ts'
import { skillEndpoints } from './skills.ts'
import { applySnapshot, getSnapshot, listSnapshots, planSnapshot } from './snapshots.ts'
import { assertStatement, getStatement, listStatements, retractStatement } from './statements.ts'
import { completeTask, getTask, listTasks } from './tasks.ts'
import { createTrigger, deleteTrigger, getTrigger, listTriggers, patchTrigger } from './triggers.ts'
import { webSources } from './web-sources.ts'
import * as brainWebhooks from './webhooks.ts'

/**
 * Every endpoint, by area. The SDK's methods carry these names: those under `brain` here are under `client.brain(handle)` there.
 */
export const api = {
  whoami: keys.whoami,
  accessRequests: { submit: requestAccess },
  admin: {
    setBillingTier,
    listEvents: listAdminEvents,
    listOrganizations,
    organizations: { get: getAdministeredOrganization, previewEnd: previewOrganizationEnd, end: endOrganization },
    listTiers,
    listMail,
    retryMail,
    health: readServiceHealth,
    accessRequests: { list: listAccessRequests, approve: approveAccessRequest, refuse: refuseAccessRequest },
    invitationCodes: { list: listInvitationCodes, create: createInvitationCode, delete: deleteInvitationCode },
  },
  audit: { list: listAudit },
  organization: {
    get: getOrganization,
    export: deletions.exportOrganization,
    previewDeletion: deletions.previewOrganizationDeletion,
    delete: deletions.deleteOrganization,
  },
  account: { previewDeletion: deletions.previewAccountDeletion, delete: deletions.deleteAccount },
  notifications: {
    list: listNotifications,
    waiting: countWaiting,
    read: readNotifications,
    settings: { get: getNotificationSettings, patch: patchNotificationSettings },
  },
  apps: {
    list: apps.listApps,
    revoke: apps.revokeApp,
    grants: { narrow: apps.narrowAppGrant, revoke: apps.revokeAppGrant },
  },
  keys: {
    mint: keys.mintManagementKey,
    list: keys.listManagementKeys,
    get: keys.getManagementKey,
    revoke: keys.revokeManagementKey,
  },
  brains: {
    put: putBrain,
    get: getBrain,
    list: listBrains,
    listRestricted: brainAccess.listRestrictedBrains,
    patch: patchBrain,
    delete: deleteBrain,
  },
  changes: { list: listOrganizationChanges },
  webhooks: {
    create: webhooks.createOrganizationWebhook,
    list: webhooks.listOrganizationWebhooks,
    get: webhooks.getOrganizationWebhook,
    patch: webhooks.patchOrganizationWebhook,
    delete: webhooks.deleteOrganizationWebhook,
    test: webhooks.testOrganizationWebhook,
    rotate: webhooks.rotateOrganizationWebhook,
    deliveries: webhooks.listOrganizationDeliveries,
    redeliver: webhooks.redeliverToOrganization,
    rewind: webhooks.rewindOrganizationWebhook,
  },
  activity: listActivity,
  activityDays: readActivityDays,
  overview: readOverview,
  runs: {
    start: startRun,
    list: listRuns,
    get: getRun,
    cancel: cancelRun,
    stream: streamRun,
    messages: listRunMessages,
    operations: listRunOperations,
    share: shareRun,
  },
  sharedRuns: { list: listRunShares, revoke: revokeRunShare },
  tasks: { list: listTasks, get: getTask, complete: completeTask },
  schemas: { put: putOrganizationSchema, get: getOrganizationSchema, list: listOrganizationSchemas },
  corpora: corpusEndpoints,
  ...evalApi,
  goals: goalEndpoints,
  flows: flowEndpoints,
  distillations: distillationEndpoints,
  projects: { create: createProject, list: listProjects, get: getProject, patch: patchProject, delete: deleteProject },
  agents: {
    create: createAgent,
    list: listAgents,
    get: getAgent,
    patch: patchAgent,
    versions: listAgentVersions,
    delete: deleteAgent,
  },
  schedules: scheduleEndpoints,
  triggers: { list: listTriggers, get: getTrigger, create: createTrigger, patch: patchTrigger, delete: deleteTrigger },
  conversations: {
    create: conversations.createConversation,
    list: conversations.listConversations,
    get: conversations.getConversation,
    patch: conversations.patchConversation,
    messages: conversations.listConversationMessages,
    delete: conversations.deleteConversation,
  },
  artifacts: artifactEndpoints,
  connectors: {
    create: connectors.createConnector,
    list: connectors.listConnectors,
    get: connectors.getConnector,
    patch: connectors.patchConnector,
    delete: connectors.deleteConnector,
    test: connectors.testConnector,
  },
  packs: packEndpoints,
  providers: { put: putProvider, list: listProviders, get: getProvider, delete: deleteProvider, test: testProvider },
  brain: {
    hold: holdBrain,
    release: releaseBrain,
    export: exportBrain,
    import: importBrain,
    access: {
      get: brainAccess.readBrainAccess,
      patch: brainAccess.changeBrainAccess,
      takeOver: brainAccess.takeOverBrain,
    },
    members: { put: brainAccess.putBrainMember, remove: brainAccess.removeBrainMember },
    keys: {
      mint: keys.mintBrainKey,
      list: keys.listBrainKeys,
      get: keys.getBrainKey,
      rotate: keys.rotateBrainKey,
      revoke: keys.revokeBrainKey,
    },
    records: {
      create: createRecord,
      put: putRecord,
      patch: patchRecord,
      delete: deleteRecord,
      merge: mergeRecord,
      get: getRecord,
      list: listRecords,
      history: listRecordHistory,
      neighbours: listNeighbours,
    },
    statements: { assert: assertStatement, retract: retractStatement, get: getStatement, list: listStatements },
    documents: documentEndpoints,
    snapshots: { plan: planSnapshot, apply: applySnapshot, get: getSnapshot, list: listSnapshots },
    webSources,
    derivedPages: derivedPageEndpoints,
    skills: skillEndpoints,
    batch,
    bundle: bundleEndpoints,
    changes: changeEndpoints,
    schema: {
      get: getSchema,
      evolve: evolveSchema,
      promote: promoteEmerged,
      emerged: listEmerged,
      lineage: getSchemaLineage,
    },
    context: readContext,
    query: queryRecords,
    names: readNames,
    receipts: { get: getReceipt, list: listReceipts },
    events: { list: listEvents },
    dates: { list: listDates },
    webhooks: {
      create: brainWebhooks.createWebhook,
      list: brainWebhooks.listWebhooks,
      get: brainWebhooks.getWebhook,
      delete: brainWebhooks.deleteWebhook,
      test: brainWebhooks.testWebhook,
      patch: brainWebhooks.patchWebhook,
      rewind: brainWebhooks.rewindWebhook,
      rotate: brainWebhooks.rotateWebhook,
      deliveries: brainWebhooks.listWebhookDeliveries,
    },
    search: searchBrain,
  },
} as const

type NamesIn<Part, Prefix extends string = ''> = {
  [Key in keyof Part & string]: Part[Key] extends Endpoint ? `${Prefix}${Key}` : NamesIn<Part[Key], `${Prefix}${Key}.`>
}[keyof Part & string]

/** The dotted name of an endpoint, such as `brain.records.put`. */
export type EndpointName = NamesIn<typeof api>

type Tree = { readonly [name: string]: Endpoint | Tree }

const isEndpoint = (node: Endpoint | Tree): node is Endpoint => typeof (node as Endpoint).path === 'string'

const flatten = (tree: Tree, prefix: string): { name: string; endpoint: Endpoint }[] =>
  Object.entries(tree).flatMap(([key, node]) => {
    const name = prefix ? `${prefix}.${key}` : key
    return isEndpoint(node) ? [{ name, endpoint: node }] : flatten(node, name)
  })

/** Every endpoint with its dotted name (`brain.records.put`), which is also its `operationId`. */
export const endpoints = flatten(api, '') as readonly { name: EndpointName; endpoint: Endpoint }[]
