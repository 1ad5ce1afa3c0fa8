import type { AgentDefinition } from '@noema/contracts/agents.ts'
import type { AuditAction } from '@noema/contracts/audit.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Queryable } from '../../../storage/database.ts'
import { addAudit } from '../../platform/audit/audit.ts'

/** The part of an agent's definition that the audit log keeps; its versions hold the rest, instructions and schema. */
const toKept = ({ name, model, tools, brains, skills, limits }: AgentDefinition, version: number) => ({
  ...{ version, name, model, tools, limits },
  brains: brains.map(({ handle, access }) => ({ handle, access })),
  ...(skills ? { skills: skills.map(({ brain, name }) => ({ brain, name })) } : {}),
})

type Version = { version: number; definition: AgentDefinition }

/** Notes what was done to an agent, in its transaction: as far as its kept values differ. */
export const auditAgent = (
  tx: Queryable,
  { organizationId, id, by }: { organizationId: string; id: string; by: Actor },
  action: Extract<AuditAction, `agent.${string}`>,
  { before, after, at }: { before?: Version; after: Version; at: Date },
): Promise<void> => {
  const act = { organizationId, by, action, target: { type: 'agent', id, name: after.definition.name } }
  const now: Record<string, unknown> = toKept(after.definition, after.version)
  if (!before) return addAudit(tx, { ...act, ...(action === 'agent.archived' ? {} : { after: now }) }, at)
  const former: Record<string, unknown> = toKept(before.definition, before.version)
  const names = Object.keys(now).filter((name) => JSON.stringify(now[name]) !== JSON.stringify(former[name]))
  const pick = (values: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, values[name]]))
  return addAudit(tx, { ...act, before: pick(former), after: pick(now) }, at)
}
