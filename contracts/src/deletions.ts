import { z } from 'zod'
import { deleted, displayName, emailAddress, itemId } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { proofErrors } from './error-codes.ts'
import { exportLine } from './exports.ts'

// Deletion of organizations and accounts. A preview shows what will be deleted, and the caller confirms by typing its name. Access
// ends with the next request on every node; a worker erases the data.

const count = z.int().min(0)

export const organizationContents = z
  .object({
    brains: count.describe('How many Brains there are.'),
    records: count.describe('How many records there are.'),
    statements: count.describe('How many statements there are.'),
    documents: count.describe('How many documents there are.'),
    managementKeys: count.describe('How many management keys there are.'),
    brainKeys: count.describe('How many keys of Brains there are.'),
    webhooks: count.describe('Of the organization and of its Brains'),
    agents: count.describe('How many agents there are.'),
    runs: count.describe('How many runs there are.'),
    openRuns: count.describe('Runs that go on, which end as abandoned'),
    triggers: count.describe('How many triggers there are.'),
    schedules: count.describe('How many schedules there are.'),
    conversations: count.describe('How many conversations there are.'),
    projects: count.describe('How many projects there are.'),
    connectors: count.describe('How many connectors there are.'),
    providers: count.describe('How many providers of models there are.'),
    artifacts: count.describe('How many files there are.'),
    corpora: count.describe('How many corpora there are.'),
    evals: count.describe('How many evals there are.'),
    goals: count.describe('How many goals there are.'),
    packs: count.describe('How many packs of the organization there are.'),
    schemas: count.describe('How many schemas of the organization there are.'),
    members: count.describe('How many members there are.'),
    invitations: count.describe('How many invitations there are.'),
    auditEntries: count.describe('How many entries the audit log has.'),
  })
  .describe(
    'The contents of an organization, which its deletion erases. Numbers are exact up to 100,000, which means that ' +
      'many or more.',
  )
export type OrganizationContents = z.infer<typeof organizationContents>

const namedOrganization = z.object({
  id: itemId,
  name: displayName,
  slug: z.string().describe('The readable name of the organization, as used in addresses.'),
})

const heldBrains = z
  .array(z.string())
  .describe('Handles of Brains with a hold, which keep the organization from being deleted')

export const previewOrganizationDeletion = defineEndpoint({
  method: 'GET',
  path: '/v1/organization/deletion',
  summary: 'Preview the deletion of the organization',
  description: 'Previews the deletion of the organization: everything that would be deleted. For its owners.',
  access: 'session',
  errors: ['not_found'],
  status: [200],
  result: z.object({
    organization: namedOrganization.describe('The organization.'),
    takes: organizationContents.describe('The counts of everything that is deleted with it.'),
    heldBrains,
  }),
})

export const deleteOrganization = defineEndpoint({
  method: 'DELETE',
  path: '/v1/organization',
  summary: 'Delete the organization and everything that it has',
  description:
    'Permanently deletes the organization with all its data: its keys, sessions of members in it and webhooks of both ' +
    'sorts stop working with the next request, its runs end as abandoned, and its data is erased in the ' +
    'background. Only an owner who is signed in may do this, and `confirm` repeats its name or its slug. 409 `brain_held` ' +
    'names Brains with a hold.',
  access: 'session',
  body: z.object({
    confirm: z.string().max(200).describe('The name or the slug of the organization'),
  }),
  errors: [...proofErrors, 'not_found', 'brain_held'],
  status: [200],
  result: z.object({ deleted, erased: organizationContents.describe('The counts of everything that was erased.') }),
})

/** The effect on an organization when the account of one of its members is deleted. */
const organizationFate = namedOrganization.extend({
  role: z.enum(['owner', 'admin', 'member']).describe('The role of the person in the organization.'),
  fate: z
    .enum(['deleted', 'left', 'undecided'])
    .describe(
      'deleted: the personal organization, which has no other member. left: it goes on without the account. undecided: it has no other owner; hand it over, or name it to be deleted, too.',
    ),
  otherMembers: count.describe('How many other members the organization has.'),
  takes: organizationContents
    .nullable()
    .describe('The counts of everything that would be erased with it; null if it stays'),
  heldBrains,
})

export const previewAccountDeletion = defineEndpoint({
  method: 'GET',
  path: '/v1/account/deletion',
  summary: 'Preview the deletion of your account',
  description:
    "Previews the deletion of the caller's account. `proof` is the proof that it requires in addition to the address.",
  access: 'account',
  status: [200],
  result: z.object({
    account: z.object({ id: itemId, email: emailAddress }).describe('The account.'),
    proof: z
      .enum(['password', 'fresh_session'])
      .describe('How the person must prove who they are: with the password, or by having signed in lately.'),
    organizations: z.array(organizationFate).describe('The organizations.'),
  }),
})

export const deleteAccount = defineEndpoint({
  method: 'DELETE',
  path: '/v1/account',
  summary: 'Delete your account',
  description:
    "Permanently deletes the caller's account. `confirm` repeats its address, and `password` is asked for again; an " +
    'account without a password needs a session of the last ten minutes (403 `session_not_fresh`). Its personal ' +
    'organization is deleted with it. Others that it is the last owner of must be handed over first or listed in ' +
    '`organizations`: 409 `last_owner` names them. In organizations that go on, the membership ends as if the member ' +
    'had left: their management keys are revoked, and Brain keys go on unless `revokeBrainKeys` says otherwise.',
  access: 'account',
  body: z.object({
    confirm: z.string().max(254).describe('The address of the account'),
    password: z.string().max(1_000).optional().describe('Your password, if the account has one.'),
    organizations: z
      .array(z.string().max(200))
      .max(100)
      .default([])
      .describe('Ids of organizations to delete with the account'),
    revokeBrainKeys: z
      .boolean()
      .default(false)
      .describe('If true, Brain keys that the account created are revoked, too.'),
  }),
  errors: [...proofErrors, 'last_administrator', 'last_owner', 'brain_held'],
  status: [200],
  result: z.object({
    deleted,
    organizations: z
      .object({
        deleted: z.array(z.string()).describe('The names of the organizations that end with the account.'),
        left: z.array(z.string()).describe('The names of the organizations that the account leaves.'),
      })
      .describe('The organizations.'),
  }),
})

/** The name and version of the format of an organization's export, in its first line. */
export const organizationExportFormat = { format: 'noema-organization', version: 1 } as const

const kept = z.looseObject({ id: itemId })

export const organizationExportLine = z
  .union([
    z.object({
      organization: namedOrganization
        .extend({
          format: z.literal(organizationExportFormat.format).describe('The kind of export.'),
          version: z.literal(organizationExportFormat.version).describe('The version of the format.'),
          tier: z.string().describe('The tier, which sets limits.'),
        })
        .describe('The organization.'),
    }),
    z.object({
      member: z
        .looseObject({
          userId: z.string().describe('The id of the user.'),
          email: emailAddress,
          role: z.string().describe('The role of the person in the organization.'),
        })
        .describe('A member of the organization.'),
    }),
    z.object({
      organizationSchema: z
        .looseObject({
          name: displayName,
          version: z.int().describe('The version. Each change to the item makes the next one.'),
        })
        .describe('A schema of the organization.'),
    }),
    z.object({
      corpus: z
        .looseObject({ name: z.string().describe('The name.') })
        .describe('A corpus, whose parts name Brains by their ids.'),
    }),
    z.object({
      pack: z
        .looseObject({ name: z.string().describe('The name.'), version: z.int().describe('The version of the pack.') })
        .describe('A version of a pack, with its file.'),
    }),
    z.object({
      evalVersion: z
        .looseObject({ evalId: z.string().describe('The id of the eval.') })
        .describe('A version of an eval, without its cases.'),
    }),
    z.object({ evalCase: z.looseObject({ evalId: z.string().describe('The id of the eval.') }).describe('A case.') }),
    z.object({ goal: kept.describe('A goal.') }),
    z.object({
      goalAttempt: z.looseObject({ goalId: z.string().describe('The id of the goal.') }).describe('An attempt.'),
    }),
    z.object({ rubric: z.looseObject({ name: z.string().describe('The name.') }).describe('A version of a rubric.') }),
    z.object({ project: kept.describe('The project.') }),
    z.object({
      agentVersion: z
        .looseObject({
          agentId: z.string().describe('The id of the agent.'),
          version: z.int().describe('The version. Each change to the item makes the next one.'),
        })
        .describe('The version of the agent. A run keeps the one that it started with.'),
    }),
    z.object({ connector: kept.describe('The connector.') }),
    z.object({ provider: z.looseObject({ name: displayName }).describe('The provider of models.') }),
    z.object({ trigger: kept.describe('The trigger.') }),
    z.object({ schedule: kept.describe('The schedule.') }),
    z.object({ artifact: kept.describe('A version of a file.') }),
    z.object({
      artifactChunk: z
        .object({
          artifactId: z.string().describe('The id of the file.'),
          version: z.int().describe('The version of the file.'),
          number: z.int().describe('The number of the chunk, from 0.'),
          base64: z.string().describe('The bytes, in base64.'),
        })
        .describe('A part of the bytes of a file, at most 256 KiB.'),
    }),
    z.object({ auditEntry: kept.describe('An entry of the audit log.') }),
    z.object({
      brainExport: z
        .object({ id: itemId, handle: z.string().describe('The name of the Brain in addresses. It is its identity.') })
        .describe('Where the export of a Brain begins.'),
    }),
    exportLine,
    z.object({
      end: z
        .object({
          lines: count.describe('How many lines came before this one.'),
          brains: count.describe('How many Brains the export has.'),
        })
        .describe('The last line of the export.'),
    }),
  ])
  .describe(
    "A line of an organization's export: what the organization is, then one line for each member, schema, project, " +
      'version of an agent, connector, provider, trigger and schedule (never their secrets), version of a file, part of its bytes, and entry of the audit ' +
      'log. Each Brain follows as its own export, `header` to `trailer`, behind a line `brainExport` that names it. ' +
      'The last line is `end`, with how many lines and Brains there were; a file without it is truncated.',
  )

export const exportOrganization = defineEndpoint({
  method: 'GET',
  path: '/v1/organization/export',
  summary: 'Export everything of the organization as a stream of NDJSON',
  description:
    'Reads everything that an organization keeps as a stream of NDJSON (`organizationExportLine`): for its owners, ' +
    'signed in or by a key that one of them minted. Runs and conversations are not in it, nor Brains that are not open ' +
    'to that owner and what may hold their content. The lines of a Brain, cut out of the file, are what `…/import` ' +
    'takes. Each Brain is as it is at one moment, one after the other.',
  access: 'management',
  query: z.object({ history: z.stringbool().optional().describe('Whether earlier versions are exported, too.') }),
  ndjson: 'answer',
  status: [200],
  result: organizationExportLine,
})
