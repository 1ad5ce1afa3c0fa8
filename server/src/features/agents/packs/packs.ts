import { extractiveModel } from '@noema/contracts/agents.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { PackFile } from '@noema/contracts/pack-files.ts'
import type { InstalledItem, installPack as installEndpoint } from '@noema/contracts/packs.ts'
import type { Limits } from '../../../config/config.ts'
import type { Caps } from '../../../config/tiers.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Topics } from '../../../shared/concurrency/topics.ts'
import { forbidden } from '../../../shared/errors.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db } from '../../../storage/database.ts'
import {
  type BrainRow,
  selectBrainById,
  selectIdsByHandles,
  selectPersonalRole,
} from '../../kernel/brains/brain-queries.ts'
import { changeBrain, putBrainByHandle } from '../../kernel/brains/brains.ts'
import type { BrainLocks } from '../../kernel/locks/locks.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import type { Commits } from '../../writing/commit/commit-engine.ts'
import type { OutputChecks } from '../agents/output-checks.ts'
import { checkModel } from '../agents/references.ts'
import type { SharedKeys } from '../providers/access.ts'
import { chooseValues, fillPack } from './fill-pack.ts'
import { type FoundPack, findPack } from './find-pack.ts'
import { installAgents } from './install-agents.ts'
import { installEvals } from './install-evals.ts'
import { type ItemStore, openItemStore, readPin } from './install-items.ts'
import type { PackedEvals } from './packed-evals.ts'
import { stageKinds, stageSample } from './stage-content.ts'

// Packs are files: of the service, or of an organization. Installing one makes its agents and triggers and proposes what it changes in a Brain. Each
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
  packedEvals: PackedEvals
}

/** The actor of an install, its organization and caps. */
type Installer = { organizationId: string; actor: Actor; viewer: Viewer; caps: Caps }

/** An install under way. `model`: that of its agents if the request names one. */
export type Installing = {
  deps: Deps
  installer: Installer
  pack: PackFile
  found: FoundPack
  brain: BrainRow
  items: ItemStore
  model: string | undefined
}

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

/** Stages kinds and sample content once; what became of them since is for people to say. */
const stageItem = async (
  { deps, items, found: { version } }: Installing,
  type: 'schema' | 'sample',
  stage: () => Promise<string | undefined>,
): Promise<InstalledItem> => {
  const name = type === 'schema' ? 'kinds' : 'content'
  const item = { type, name: version === 1 ? name : `${name} ${version}` }
  const { isNew, ref } = await items.install(
    item,
    async () => true,
    async (note) => note(deps.db, (await stage()) ?? ''),
  )
  return { type, name, outcome: isNew && ref !== '' ? 'staged' : 'present', ...(ref === '' ? {} : { change: ref }) }
}

/** Notes an install that brought something. Each agent and trigger of it has an entry of its own, kept as it was made. */
const auditInstall = ({ deps: { db, clock }, installer, found, brain }: Installing) => {
  const { organizationId, actor: by } = installer
  const target = { type: 'pack' as const, id: found.name, name: found.file.title, brain: brain.handle }
  const after = { version: found.version }
  return addAudit(db, { organizationId, by, action: 'pack.installed', target, after }, clock.now())
}

type Body = BodyOutput<typeof installEndpoint>
type Request = { name: string } & Body

/** The install of a pack that a Brain has, if it has one. */
const findPinned = async ({ db }: Deps, { organizationId, viewer }: Installer, handle: string, name: string) => {
  const id = (await selectIdsByHandles(db, organizationId, [handle], viewer)).get(handle)
  const brain = id === undefined ? undefined : await selectBrainById(db, organizationId, id, viewer)
  return brain && readPin(db, brain, name)
}

/**
 * The pack that an install brings: in the named version, or that which the Brain has, or the newest; with the values that are named, or that
 * the Brain was installed with.
 */
const choosePack = async (deps: Deps, installer: Installer, { name, version, parameters, brain }: Request) => {
  const { organizationId } = installer
  const pinned = await findPinned(deps, installer, brain ?? name, name)
  const found = await findPack(deps.db, { organizationId, name, version: version ?? pinned?.version })
  const known = found.file.parameters.map((parameter) => parameter.name)
  const kept = Object.entries(pinned?.parameters ?? {}).filter(([one]) => known.includes(one))
  const values = chooseValues(found.file.parameters, { ...Object.fromEntries(kept), ...parameters })
  return { found, values, pack: fillPack(found.file, values) }
}

/** Installs a pack, or what is missing of it. */
export const installPack = async (deps: Deps, installer: Installer, request: Request) => {
  const { name, brain: handle, model } = request
  const { found, values, pack } = await choosePack(deps, installer, request)
  await checkModel({ ...deps, organizationId: installer.organizationId }, model ?? extractiveModel)
  const { brain, created } = await openBrain(deps, installer, pack, handle ?? name)
  const items = await openItemStore(deps, brain, name)
  const installing = { deps, installer, pack, found, brain, items, model }
  await items.pin({ version: found.version, parameters: Object.fromEntries(values) })
  const { userId } = installer.actor
  const actor: Actor = { type: 'system', id: `pack:${name}`, ...(userId === undefined ? {} : { userId }) }
  const place = { brain, submitter: { actor, mayRead: true, caps: installer.caps }, version: found.version }
  const agents = await installAgents(installing)
  const made: InstalledItem[] = [
    { type: 'brain', name: brain.handle, outcome: created ? 'created' : 'present', id: brain.id },
    ...agents,
    ...(await installEvals(installing, agents)),
    await stageItem(installing, 'schema', () => stageKinds(deps, place, pack)),
    await stageItem(installing, 'sample', () => stageSample(deps, place, pack)),
  ]
  if (made.some(({ outcome }) => outcome !== 'present')) await auditInstall(installing)
  return { pack: name, version: found.version, brain: { id: brain.id, handle: brain.handle }, items: made }
}
