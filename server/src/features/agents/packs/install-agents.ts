import { extractiveModel } from '@noema/contracts/agents.ts'
import type { PackFile } from '@noema/contracts/pack-files.ts'
import type { InstalledItem } from '@noema/contracts/packs.ts'
import { changeAgent, findAgent, makeAgent } from '../agents/agents.ts'
import { listTriggers, makeTrigger } from '../triggers/triggers.ts'
import { withFileNames } from './install-items.ts'
import type { Installing } from './packs.ts'

// The agents and triggers of a pack.

/** Makes an agent, or its next version. Its model stays unless the request names one. */
const installAgent = async (
  { deps, installer, brain, items, model }: Installing,
  { name, instructions, access, outputSchema }: PackFile['agents'][number],
  fileName: string,
): Promise<InstalledItem> => {
  const { organizationId, actor: createdBy } = installer
  const brains = access === 'none' ? [] : [{ handle: brain.handle, access }]
  const { outcome, id } = await items.installVersion(
    { type: 'agent', name: fileName },
    {
      findVersion: async (known) => {
        const agent = await findAgent(deps.db, organizationId, known)
        return agent?.archivedAt === null ? agent.version : undefined
      },
      make: async (note) => {
        const given = { name, instructions, model: model ?? extractiveModel, tools: [], brains, limits: {} }
        const made = outputSchema ? { ...given, outputSchema } : given
        await makeAgent(deps, { organizationId, createdBy }, made, (tx, known) => note(tx, known, 1))
      },
      change: async (known, version, note) => {
        const given = { name, instructions, brains, outputSchema: outputSchema ?? null, ...(model ? { model } : {}) }
        await changeAgent(deps, { organizationId, createdBy, id: known }, given, {
          ...{ version, note: (tx, next) => note(tx, known, next) },
        })
      },
    },
  )
  return { type: 'agent', name, outcome, id }
}

const installTrigger = async (
  { deps, installer, brain, items }: Installing,
  { name, expectedOutcome, requiredAccess, entityKinds }: PackFile['triggers'][number],
  { agentId, fileName }: { agentId: string; fileName: string },
): Promise<InstalledItem> => {
  const { organizationId, actor } = installer
  const isThere = async (id: string) =>
    (await listTriggers(deps, organizationId)).some(({ trigger }) => trigger.id === id)
  const { isNew, ref } = await items.install({ type: 'trigger', name: fileName }, isThere, async (note) => {
    await makeTrigger(
      deps,
      { organizationId, createdBy: actor },
      {
        ...{ knowledgeGraphId: brain.id, agentId, name, expectedOutcome, requiredAccess, enabled: true },
        kindScopes: entityKinds.map((entityKind) => ({ entityKind })),
      },
      note,
    )
  })
  return { type: 'trigger', name, outcome: isNew ? 'created' : 'present', id: ref }
}

/** Makes the agents and triggers of a pack, or the next versions of its agents. */
export const installAgents = async (installing: Installing): Promise<InstalledItem[]> => {
  const items: InstalledItem[] = []
  const { pack, found } = installing
  for (const { item, fileName } of withFileNames(pack.agents, found.file.agents))
    items.push(await installAgent(installing, item, fileName))
  for (const { item: trigger, fileName } of withFileNames(pack.triggers, found.file.triggers)) {
    const agentId = items.find(({ type, name }) => type === 'agent' && name === trigger.agent)?.id
    if (agentId === undefined) throw new Error(`The pack ${found.name} has no agent ${trigger.agent}.`)
    items.push(await installTrigger(installing, trigger, { agentId, fileName }))
  }
  return items
}
