import { z } from 'zod'
import { actor, itemId, json, listQuery, pageResult, timeInput, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

/**
 * The actions in the audit log: who and what an organization lets in, keeps and sends out. `account.*` are actions of members on
 * their own account, which every organization that they belong to logs.
 */
export const auditAction = z
  .enum(
    [
      'organization.created',
      'organization.changed',
      'tier.set',
      'member.joined',
      'member.changed',
      'member.removed',
      'member.left',
      'invitation.sent',
      'invitation.cancelled',
      'account.address_confirmed',
      'account.password_changed',
      'account.sign_in_linked',
      'account.sign_in_unlinked',
      'account.two_factor_enabled',
      'account.two_factor_disabled',
      'account.passkey_added',
      'account.passkey_removed',
      'key.minted',
      'key.rotated',
      'key.revoked',
      'app.connected',
      'app.narrowed',
      'app.revoked',
      'change.eval_overridden',
      'brain.created',
      'brain.changed',
      'brain.held',
      'brain.released',
      'brain.imported',
      'brain.deleted',
      'brain.access_changed',
      'brain.member_changed',
      'brain.member_removed',
      'brain.taken_over',
      'artifact.stored',
      'artifact.linked',
      'artifact.deleted',
      'run.shared',
      'run.unshared',
      'webhook.created',
      'webhook.rotated',
      'webhook.changed',
      'webhook.rewound',
      'webhook.deleted',
      'web_source.changed',
      'web_source.deleted',
      'schema.stored',
      'corpus.stored',
      'corpus.deleted',
      'pack.deleted',
      'derived_page.stored',
      'derived_page.deleted',
      'eval.created',
      'eval.changed',
      'eval.archived',
      'goal.created',
      'goal.changed',
      'goal.paused',
      'goal.resumed',
      'goal.abandoned',
      'rubric.stored',
      'rubric.deleted',
      'pack.installed',
      'pack.stored',
      'project.created',
      'project.changed',
      'project.archived',
      'agent.created',
      'agent.changed',
      'agent.archived',
      'connector.created',
      'connector.changed',
      'connector.deleted',
      'provider.created',
      'provider.replaced',
      'provider.deleted',
      'trigger.created',
      'trigger.changed',
      'trigger.deleted',
      'schedule.created',
      'schedule.changed',
      'schedule.deleted',
    ],
    { error: 'action is the name of an act, such as key.minted; the reference lists them.' },
  )
  .describe('An act that the audit log records.')
export type AuditAction = z.infer<typeof auditAction>

export const auditEntry = z
  .object({
    id: itemId,
    at: timestamp,
    actor: actor.describe('Who did it.'),
    action: auditAction.describe('The action.'),
    target: z
      .object({
        type: z.string().describe('The type.'),
        id: itemId,
        name: z.string().optional().describe('The name, for people.'),
        brain: z.string().optional().describe('The handle of the Brain that it belongs to'),
      })
      .describe('The item that it is about.'),
    before: z.record(z.string(), json).optional().describe('The item before the change; absent if there was none.'),
    after: z.record(z.string(), json).optional().describe('The item after the change; absent if it is gone.'),
  })
  .describe(
    'Something that somebody did to what an organization has, kept with the act itself. `action` names the act ' +
      '(`key.minted`, `brain.changed`, `member.removed`). `before` and `after` hold what the act changed; never a ' +
      'secret, and nothing of what Brains hold.',
  )
export type AuditEntry = z.infer<typeof auditEntry>

export const listAudit = defineEndpoint({
  method: 'GET',
  path: '/v1/audit',
  summary: 'Read who did what in the organization',
  description:
    'Reads the audit log of the organization: for its owners and admins, signed in or by a key that one of them ' +
    'minted.',
  access: 'management',
  query: z.object({
    action: auditAction.optional().describe('Only entries of this action'),
    target: z.string().min(1).max(200).optional().describe('Only entries about the item with this id'),
    actor: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Only actions of this key, or of this person and their keys: an id'),
    from: timeInput.optional().describe('Only entries of this time and later'),
    to: timeInput.optional().describe('Only entries before this time'),
    ...listQuery,
  }),
  status: [200],
  list: 'entries',
  result: z.object({ entries: z.array(auditEntry).describe('The entries of this page.'), ...pageResult }),
})
