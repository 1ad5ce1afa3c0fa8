import { type PackFile, type PackFileInput, packFile } from '@noema/contracts/pack-files.ts'
import type { Pack } from '@noema/contracts/packs.ts'
import { notFound } from '../../../shared/errors.ts'
import { listNames } from '../../../shared/text/list-names.ts'
import type { Queryable } from '../../../storage/database.ts'
import { peopleAndConversations } from './files/people-and-conversations.ts'
import { researchNotes } from './files/research-notes.ts'
import { supportKnowledge } from './files/support-knowledge.ts'
import { selectNewest, selectShown, selectVersion } from './queries.ts'

// The packs that come with the service and those of an organization: files of one form.

/** A pack in one of its versions. */
export type FoundPack = { name: string; version: number; isOwn: boolean; file: PackFile }

const builtins: ReadonlyMap<string, PackFileInput> = new Map([
  ['people-and-conversations', peopleAndConversations],
  ['support-knowledge', supportKnowledge],
  ['research-notes', researchNotes],
])

/** Those that were used: most nodes need none, and the first to be parsed takes ten milliseconds. */
const parsed = new Map<string, PackFile>()

const parseBuiltin = (name: string, given: PackFileInput): PackFile => {
  const file = parsed.get(name) ?? packFile.parse(given)
  parsed.set(name, file)
  return file
}

/** A pack that comes with the service. */
export const findBuiltin = (name: string): FoundPack | undefined => {
  const given = builtins.get(name)
  const file = given && parseBuiltin(name, given)
  return file && { name, version: 1, isOwn: false, file }
}

export const noSuchPack = (name: string) =>
  notFound(
    `There is no pack ${JSON.stringify(name)} in this organization; with the service ${listNames([...builtins.keys()])}.`,
  )

const countSample = ({ sample }: PackFile, op: string): number => sample.filter((one) => one.op === op).length

/** A pack as lists show it. */
export const packView = ({ name, version, isOwn, file }: FoundPack): Pack => ({
  ...{ name, version, isOwn, title: file.title, description: file.description, parameters: file.parameters },
  kinds: file.kinds.map(({ kind, description }) => ({ kind, description: description ?? '' })),
  agents: file.agents.map(({ name: agent, description, access }) => ({ name: agent, description, access })),
  triggers: file.triggers.map(({ name: trigger, agent, expectedOutcome }) => ({
    name: trigger,
    agent,
    expectedOutcome,
  })),
  skills: file.skills.map(({ name: skill }) => skill),
  rubrics: file.rubrics.map(({ name: rubric }) => rubric),
  evals: file.evals.map(({ name: one }) => one),
  sample: {
    records: countSample(file, 'record.put') + countSample(file, 'record.create'),
    statements: countSample(file, 'statement.assert'),
    documents: countSample(file, 'document.put'),
  },
})

/** The packs that an organization can install. */
export const listPacks = async (db: Queryable, organizationId: string): Promise<Pack[]> => [
  ...[...builtins.keys()].flatMap((name) => findBuiltin(name) ?? []).map(packView),
  ...(await selectShown(db, organizationId)),
]

/** One pack, in a version or the newest. */
export const findPack = async (
  db: Queryable,
  { organizationId, name, version }: { organizationId: string; name: string; version?: number | undefined },
): Promise<FoundPack> => {
  const place = { organizationId, name }
  const own = version === undefined ? await selectNewest(db, place) : await selectVersion(db, { ...place, version })
  if (own) return { ...own, name, isOwn: true }
  const builtin = findBuiltin(name)
  if (builtin && (version === undefined || version === builtin.version)) return builtin
  if (version === undefined) throw noSuchPack(name)
  throw notFound(`The pack ${JSON.stringify(name)} has no version ${version} any more. Install another version.`)
}
