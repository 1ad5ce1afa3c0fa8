import { extractiveModel } from '@noema/contracts/agents.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { InstalledItem, installPack as installEndpoint, Pack } from '@noema/contracts/packs.ts'
import type { Limits } from '../../../config/config.ts'
import type { Caps } from '../../../config/tiers.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Topics } from '../../../shared/concurrency/topics.ts'
import { forbidden, notFound } from '../../../shared/errors.ts'
import { listNames } from '../../../shared/text/list-names.ts'
import type { Db } from '../../../storage/database.ts'
import { type BrainRow, selectPersonalRole } from '../../kernel/brains/brain-queries.ts'
import { changeBrain, putBrainByHandle } from '../../kernel/brains/brains.ts'
import type { BrainLocks } from '../../kernel/locks/locks.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import type { Commits } from '../../writing/commit/commit-engine.ts'
import { findAgent, makeAgent } from '../agents/agents.ts'
import type { OutputChecks } from '../agents/output-checks.ts'
import { checkModel } from '../agents/references.ts'
import type { SharedKeys } from '../providers/access.ts'
import { listTriggers, makeTrigger } from '../triggers/triggers.ts'
import { peopleAndConversations } from './files/people-and-conversations.ts'
import { researchNotes } from './files/research-notes.ts'
import { supportKnowledge } from './files/support-knowledge.ts'
import { type ItemStore, openItemStore } from './install-items.ts'
import { stageKinds, stageSample } from './stage-content.ts'
import type { PackFile } from './types.ts'

// Packs are files of the service. Installing one makes its agents and triggers and proposes what it changes in a Brain. Each
// step is made once, and one that failed is made by installing again.

type Deps = {
  db: Db
  clock: Clock
  topics: Pick<Topics, 'publish'>
  brainLocks: BrainLocks
  commitEngine: Commits
  limits: Pick<Limits, 'agents' | 'triggers'>
  sharedKeys: SharedKeys
  outputChecks: Pick<OutputChecks, 'checkSchema'>
}

/** The actor of an install, its organization and caps. */
type Installer = { organizationId: string; actor: Actor; caps: Caps }

type Installing = { deps: Deps; installer: Installer; pack: PackFile; brain: BrainRow; items: ItemStore }

const packs: readonly PackFile[] = [peopleAndConversations, supportKnowledge, researchNotes]

const countSample = ({ sample }: PackFile, op: string): number => sample.filter((one) => one.op === op).length

const packView = (pack: PackFile): Pack => ({
  ...{ name: pack.name, title: pack.title, description: pack.description },
  kinds: pack.kinds.map(({ kind, description }) => ({ kind, description })),
  agents: pack.agents.map(({ name, description, access }) => ({ name, description, access })),
  triggers: pack.triggers.map(({ name, agent, expectedOutcome }) => ({ name, agent, expectedOutcome })),
  sample: {
    records: countSample(pack, 'record.put'),
    statements: countSample(pack, 'statement.assert'),
    documents: countSample(pack, 'document.put'),
  },
})

/** The packs. */
export const listPacks = (): Pack[] => packs.map(packView)

const findPack = (name: string): PackFile => {
  const found = packs.find((pack) => pack.name === name)
  if (found) return found
  throw notFound(`There is no pack ${JSON.stringify(name)}; ${listNames(packs.map((pack) => pack.name))}.`)
}

/** One pack. */
export const readPack = (name: string): Pack => packView(findPack(name))

/** The Brain that a pack is installed on. One that is made for it wants review of all that is written. */
const openBrain = async (
  deps: Deps,
  { organizationId, caps, actor: by }: Installer,
  { title, purpose }: PackFile,
  handle: string,
) => {
  const { brain, created } = await putBrainByHandle(deps, { organizationId, handle, caps, by }, { mode: 'review' })
  if (!created && (await selectPersonalRole(deps.db, brain.brainId, by.userId)) !== 'manager')
    throw forbidden('Installing a pack needs the role manager in this Brain.')
  return { created, brain: created ? await changeBrain(deps, { brain, by }, { name: title, purpose }) : brain }
}

const installAgent = (
  { deps, installer, brain, items }: Installing,
  { name, instructions, access, outputSchema }: PackFile['agents'][number],
  model: string,
) => {
  const { organizationId, actor } = installer
  const isThere = async (id: string) => (await findAgent(deps.db, organizationId, id))?.archivedAt === null
  return items.install({ type: 'agent', name }, isThere, async (note) => {
    await makeAgent(
      deps,
      { organizationId, createdBy: actor },
      {
        ...{ name, instructions, model, tools: [], brains: [{ handle: brain.handle, access }], limits: {} },
        ...(outputSchema ? { outputSchema } : {}),
      },
      note,
    )
  })
}

const installTrigger = (
  { deps, installer, brain, items }: Installing,
  { name, expectedOutcome, requiredAccess, entityKinds }: PackFile['triggers'][number],
  agentId: string,
) => {
  const { organizationId, actor } = installer
  const isThere = async (id: string) =>
    (await listTriggers(deps, organizationId)).some(({ trigger }) => trigger.id === id)
  return items.install({ type: 'trigger', name }, isThere, async (note) => {
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
}

const toMade = (
  type: 'agent' | 'trigger',
  name: string,
  { isNew, ref }: { isNew: boolean; ref: string },
): InstalledItem => ({
  ...{ type, name, outcome: isNew ? 'created' : 'present', id: ref },
})

const installAgents = async (installing: Installing, model: string): Promise<InstalledItem[]> => {
  const items: InstalledItem[] = []
  for (const agent of installing.pack.agents)
    items.push(toMade('agent', agent.name, await installAgent(installing, agent, model)))
  for (const trigger of installing.pack.triggers) {
    const agentId = items.find(({ type, name }) => type === 'agent' && name === trigger.agent)?.id
    if (agentId === undefined) throw new Error(`The pack ${installing.pack.name} has no agent ${trigger.agent}.`)
    items.push(toMade('trigger', trigger.name, await installTrigger(installing, trigger, agentId)))
  }
  return items
}

/** Stages kinds and sample content once; what became of them since is for people to say. */
const stageItem = async (
  { deps, items }: Installing,
  type: 'schema' | 'sample',
  stage: () => Promise<string | undefined>,
): Promise<InstalledItem> => {
  const item = { type, name: type === 'schema' ? 'kinds' : 'content' }
  const { isNew, ref } = await items.install(
    item,
    async () => true,
    async (note) => note(deps.db, (await stage()) ?? ''),
  )
  return { ...item, outcome: isNew && ref !== '' ? 'staged' : 'present', ...(ref === '' ? {} : { change: ref }) }
}

/** Notes an install that brought something. Each agent and trigger of it has an entry of its own, kept as it was made. */
const auditInstall = ({ db, clock }: Deps, { organizationId, actor: by }: Installer, pack: PackFile, brain: BrainRow) =>
  addAudit(
    db,
    {
      ...{ organizationId, by, action: 'pack.installed' },
      target: { type: 'pack', id: pack.name, name: pack.title, brain: brain.handle },
    },
    clock.now(),
  )

/** Installs a pack, or what is missing of it. */
export const installPack = async (
  deps: Deps,
  installer: Installer,
  name: string,
  { brain: handle, model = extractiveModel }: BodyOutput<typeof installEndpoint>,
) => {
  const pack = findPack(name)
  await checkModel({ ...deps, organizationId: installer.organizationId }, model)
  const { brain, created } = await openBrain(deps, installer, pack, handle ?? pack.name)
  const installing = { deps, installer, pack, brain, items: await openItemStore(deps, brain, pack.name) }
  const { userId } = installer.actor
  const actor: Actor = { type: 'system', id: `pack:${pack.name}`, ...(userId === undefined ? {} : { userId }) }
  const place = { brain, submitter: { actor, mayRead: true, caps: installer.caps } }
  const items: InstalledItem[] = [
    { type: 'brain', name: brain.handle, outcome: created ? 'created' : 'present', id: brain.id },
    ...(await installAgents(installing, model)),
    await stageItem(installing, 'schema', () => stageKinds(deps, place, pack)),
    await stageItem(installing, 'sample', () => stageSample(deps, place, pack)),
  ]
  if (items.some(({ outcome }) => outcome !== 'present')) await auditInstall(deps, installer, pack, brain)
  return { pack: pack.name, brain: { id: brain.id, handle: brain.handle }, items }
}
