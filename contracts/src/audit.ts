import { z } from 'zod'
import { actor, json, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

/**
 * Something that somebody did to what an organization has, kept with the act itself. `action` names the act (`key.minted`,
 * `brain.changed`, `member.removed`). `before` and `after` hold what the act changed; never a secret, and nothing of what Brains
 * hold.
 */
export const auditEntry = z.object({
  id: z.string(),
  at: timestamp,
  actor,
  action: z.string(),
  target: z.object({
    type: z.string(),
    id: z.string(),
    name: z.string().optional(),
    brain: z.string().optional().meta({ description: 'The handle of the Brain that it belongs to' }),
  }),
  before: z.record(z.string(), json).optional(),
  after: z.record(z.string(), json).optional(),
})
export type AuditEntry = z.infer<typeof auditEntry>

/** Reads the audit log of the organization: for its owners and admins, signed in or by a key that one of them minted. */
export const listAudit = defineEndpoint({
  method: 'GET',
  path: '/v1/audit',
  summary: 'Read who did what in the organization',
  access: 'management',
  query: z.object({
    action: z.string().min(1).max(100).optional().meta({ description: 'Only entries of this action' }),
    target: z.string().min(1).max(200).optional().meta({ description: 'Only entries about what has this id' }),
    ...listQuery,
  }),
  status: [200],
  list: 'entries',
  result: z.object({ entries: z.array(auditEntry), ...pageResult }),
})
