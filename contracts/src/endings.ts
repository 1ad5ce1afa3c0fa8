import { z } from 'zod'
import { defineEndpoint } from './endpoint.ts'
import { proofErrors } from './error-codes.ts'
import { exportLine } from './exports.ts'

// How organizations and accounts end. Whatever ends is told beforehand, confirmed by typing its name, refused to everybody at the
// next request on every node, and erased by a worker afterwards.

const count = z.int().min(0)

/** What an organization has, and its deletion takes. Each number is counted up to 100,000 and stands for more from there on. */
export const organizationContents = z.object({
  brains: count,
  records: count,
  statements: count,
  documents: count,
  managementKeys: count,
  brainKeys: count,
  webhooks: count.meta({ description: 'Of the organization and of its Brains' }),
  agents: count,
  runs: count,
  openRuns: count.meta({ description: 'Runs that go on, which end as abandoned' }),
  triggers: count,
  schedules: count,
  conversations: count,
  projects: count,
  connectors: count,
  providers: count,
  schemas: count,
  members: count,
  invitations: count,
  auditEntries: count,
})
export type OrganizationContents = z.infer<typeof organizationContents>

const namedOrganization = z.object({ id: z.string(), name: z.string(), slug: z.string() })

const heldBrains = z.array(z.string()).meta({
  description: 'Handles of Brains with a hold, which keep the organization from being deleted',
})

/** Tells what the deletion of the organization would take. For its owners. */
export const previewOrganizationDeletion = defineEndpoint({
  method: 'GET',
  path: '/v1/organization/deletion',
  summary: 'Tell what deleting the organization would take',
  access: 'session',
  errors: ['not_found'],
  status: [200],
  result: z.object({ organization: namedOrganization, takes: organizationContents, heldBrains }),
})

/**
 * Deletes the organization with all that it has, for good: keys, sessions of members in it and webhooks of both sorts are refused
 * from the next request on, its runs end as abandoned, and what it held is erased in the background. Only an owner who is signed in
 * may, and `confirm` repeats its name or its slug. 409 `brain_held` names Brains with a hold.
 */
export const deleteOrganization = defineEndpoint({
  method: 'DELETE',
  path: '/v1/organization',
  summary: 'Delete the organization and everything that it has',
  access: 'session',
  body: z.object({
    confirm: z.string().max(200).meta({ description: 'The name or the slug of the organization' }),
  }),
  errors: [...proofErrors, 'not_found', 'brain_held'],
  status: [200],
  result: z.object({ deleted: z.literal(true), erased: organizationContents }),
})

/** What becomes of an organization when the account of one of its members is deleted. */
const organizationFate = namedOrganization.extend({
  role: z.enum(['owner', 'admin', 'member']),
  fate: z.enum(['deleted', 'left', 'undecided']).meta({
    description:
      'deleted: the personal organization, which nobody else belongs to. left: it goes on without the account. undecided: it has no other owner; hand it over, or name it to be deleted, too.',
  }),
  otherMembers: count,
  takes: organizationContents.nullable().meta({ description: 'What would be erased with it; null where it goes on' }),
  heldBrains,
})

/** Tells what the deletion of the caller's account would take. `proof` is what it asks for beside the address. */
export const previewAccountDeletion = defineEndpoint({
  method: 'GET',
  path: '/v1/account/deletion',
  summary: 'Tell what deleting your account would take',
  access: 'account',
  status: [200],
  result: z.object({
    account: z.object({ id: z.string(), email: z.string() }),
    proof: z.enum(['password', 'fresh_session']),
    organizations: z.array(organizationFate),
  }),
})

/**
 * Deletes the caller's account, for good. `confirm` repeats its address, and `password` is asked for again; an account without a
 * password needs a session of the last ten minutes (403 `session_not_fresh`). Its personal organization is deleted with it. Others
 * that it is the last owner of must be handed over first or stand in `organizations`: 409 `last_owner` lists them. In those that go
 * on it ends as the membership of whoever leaves: management keys that it minted are revoked, Brain keys go on unless
 * `revokeBrainKeys` says otherwise.
 */
export const deleteAccount = defineEndpoint({
  method: 'DELETE',
  path: '/v1/account',
  summary: 'Delete your account',
  access: 'account',
  body: z.object({
    confirm: z.string().max(254).meta({ description: 'The address of the account' }),
    password: z.string().max(1_000).optional(),
    organizations: z
      .array(z.string().max(200))
      .max(100)
      .default([])
      .meta({ description: 'Ids of organizations to delete with the account' }),
    revokeBrainKeys: z.boolean().default(false),
  }),
  errors: [...proofErrors, 'last_administrator', 'last_owner', 'brain_held'],
  status: [200],
  result: z.object({
    deleted: z.literal(true),
    organizations: z.object({ deleted: z.array(z.string()), left: z.array(z.string()) }),
  }),
})

/** The name and version of the format of an organization's export, in its first line. */
export const organizationExportFormat = { format: 'noema-organization', version: 1 } as const

const kept = z.looseObject({ id: z.string() })

/**
 * A line of an organization's export: what the organization is, then one line for each member, schema, project, version of an agent,
 * connector, provider, trigger and schedule (never their secrets) and entry of the audit log. Each Brain follows as its own export,
 * `header` to `trailer`, behind a line `brainExport` that names it. The last line is `end`, with how many lines and Brains there were;
 * a file without it is truncated.
 */
export const organizationExportLine = z.union([
  z.object({
    organization: namedOrganization.extend({
      format: z.literal(organizationExportFormat.format),
      version: z.literal(organizationExportFormat.version),
      tier: z.string(),
    }),
  }),
  z.object({ member: z.looseObject({ userId: z.string(), email: z.string(), role: z.string() }) }),
  z.object({ organizationSchema: z.looseObject({ name: z.string(), version: z.int() }) }),
  z.object({ project: kept }),
  z.object({ agentVersion: z.looseObject({ agentId: z.string(), version: z.int() }) }),
  z.object({ connector: kept }),
  z.object({ provider: z.looseObject({ name: z.string() }) }),
  z.object({ trigger: kept }),
  z.object({ schedule: kept }),
  z.object({ auditEntry: kept }),
  z.object({ brainExport: z.object({ id: z.string(), handle: z.string() }) }),
  exportLine,
  z.object({ end: z.object({ lines: count, brains: count }) }),
])

/**
 * Reads everything that an organization keeps as a stream of NDJSON (`organizationExportLine`): for its owners, signed in or by a key
 * that one of them minted. Runs and conversations are not in it. The lines of a Brain, cut out of the file, are what `…/import`
 * takes. Each Brain is as it is at one moment, one after the other.
 */
export const exportOrganization = defineEndpoint({
  method: 'GET',
  path: '/v1/organization/export',
  summary: 'Export everything of the organization as a stream of NDJSON',
  access: 'management',
  query: z.object({ history: z.stringbool().optional() }),
  ndjson: 'answer',
  status: [200],
  result: organizationExportLine,
})
