import { setImmediate } from 'node:timers/promises'
import type { QueryOutput } from '@noema/contracts/endpoint.ts'
import {
  type listSkills,
  type Skill,
  type SkillWithFiles,
  skillFile,
  skillLimits,
  skillName,
} from '@noema/contracts/skills.ts'
import { LRUCache } from 'lru-cache'
import { notFound } from '../../../shared/errors.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { brainList } from '../../kernel/brains/brains.ts'
import { atOneState } from '../../kernel/state-reads/state-reads.ts'
import { endPage, openPage } from '../../platform/cursors/cursors.ts'
import { toFolder, toLine, toVersionId } from './addresses.ts'
import { type Frontmatter, type ParsedFrontmatter, parseFrontmatter } from './frontmatter.ts'
import {
  type FileRow,
  type SkillRow,
  selectFile,
  selectFiles,
  selectManifests,
  selectNamedSkills,
  selectSkills,
} from './queries.ts'

// Skills as they are read. Anyone who may write to the Brain can edit a file of a skill as the document that it is, so a skill may
// have no valid SKILL.md, or too many files: it is shown with its problem, and agents do not get it.

type Deps = { db: Db }

/** Frontmatter by the name of the skill and the hash of its text, which never changes. */
const parsed = new LRUCache<string, ParsedFrontmatter>({ max: 1_000 })

const readFrontmatter = ({ name, head, digest }: Pick<SkillRow, 'name' | 'head' | 'digest'>): ParsedFrontmatter => {
  if (head === null || digest === null) return { problem: `It has no ${skillFile}. Write one, or delete the skill.` }
  const key = `${name} ${digest}`
  const known = parsed.get(key) ?? parseFrontmatter(head, name)
  parsed.set(key, known)
  return known
}

type Sums = Pick<SkillRow, 'files' | 'bytes'>

/** Why agents do not get a skill with these files. */
const findSizeProblem = ({ files, bytes }: Sums): string | undefined => {
  if (files > skillLimits.files) return `It has more than ${skillLimits.files} files. Retire some.`
  if (bytes > skillLimits.bytes) return `Its files have more than ${skillLimits.bytes} bytes. Shorten or retire some.`
  return undefined
}

type Facts = Omit<Skill, 'files' | 'bytes'>

const toFacts = (row: SkillRow): Facts => {
  const { name, lines } = row
  const read = readFrontmatter(row)
  const skillVersionId = toVersionId(lines ?? '')
  if ('problem' in read) return { name, description: null, problem: read.problem, skillVersionId }
  const { description, license, compatibility, metadata } = read.frontmatter
  const problem = findSizeProblem(row)
  return {
    ...{ name, description },
    ...(license === undefined ? {} : { license }),
    ...(compatibility === undefined ? {} : { compatibility }),
    ...(metadata === undefined ? {} : { metadata: metadata as NonNullable<Skill['metadata']> }),
    ...(problem === undefined ? {} : { problem }),
    skillVersionId,
  }
}

/** Frontmatter is parsed for this long before other work of the node gets a turn. */
const turnMilliseconds = 10

const toSkills = async (rows: readonly SkillRow[]): Promise<Skill[]> => {
  const skills: Skill[] = []
  let begun = performance.now()
  for (const row of rows) {
    if (performance.now() - begun > turnMilliseconds) {
      await setImmediate()
      begun = performance.now()
    }
    skills.push({ ...toFacts(row), files: row.files, bytes: row.bytes })
  }
  return skills
}

/** True if a folder is a skill at the state that was read: its name is one, and it has files there. */
const isSkill = ({ name, files }: SkillRow): boolean => files > 0 && skillName.safeParse(name).success

/** A page of the skills of a Brain by name. Each costs a bounded read, whatever the size of its files. */
export const listSkillPage = async (deps: Deps, brain: BrainRow, query: QueryOutput<typeof listSkills>) => {
  const { limit, order, asOf } = query
  const page = await openPage(brainList(deps.db, brain, { list: 'skills', start: '' }), query)
  return atOneState(deps.db, brain, asOf, async (tx, { stateVersion }) => {
    const place = { brainId: brain.brainId, asOf }
    const rows = await selectSkills(tx, place, { after: page.after, order, limit: limit + 1 })
    const shown = rows.slice(0, limit)
    return {
      skills: await toSkills(shown.filter(isSkill)),
      cursor: endPage(page, shown.at(-1)?.name),
      hasMore: rows.length > limit,
      stateVersion,
    }
  })
}

/** A skill that can be used, with its whole frontmatter and the digests of its files. */
export type SkillManifest = {
  name: string
  frontmatter: Frontmatter
  files: { path: string; digest: string; bytes: number }[]
}

/** A page of manifests. Skills with a problem are left out. */
export const listManifests = async (
  deps: Deps,
  brain: BrainRow,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ skills: SkillManifest[]; cursor: string; hasMore: boolean }> => {
  const query = { after, order: 'asc' as const }
  const page = await openPage(brainList(deps.db, brain, { list: 'skill-manifests', start: '' }), query)
  const request = { after: page.after, order: query.order, limit: limit + 1 }
  const rows = await selectManifests(deps.db, { brainId: brain.brainId }, request)
  const shown = rows.slice(0, limit)
  const skills = shown.filter(isSkill).flatMap((row): SkillManifest[] => {
    const read = readFrontmatter(row)
    if ('problem' in read || findSizeProblem(row) !== undefined) return []
    const files = (row.manifest ?? []).map(([path, digest, bytes]) => ({ path, digest, bytes }))
    return [{ name: row.name, frontmatter: read.frontmatter, files }]
  })
  return { skills, cursor: endPage(page, shown.at(-1)?.name), hasMore: rows.length > limit }
}

const noSuchSkill = (name: string, stateVersion: number) =>
  notFound(`There is no skill ${JSON.stringify(name)} at stateVersion ${stateVersion}. List the skills of the Brain.`)

const toFiles = (name: string, rows: readonly FileRow[]): SkillWithFiles['files'] =>
  rows.slice(0, skillLimits.files).map((row) => ({ ...row, documentId: toFolder(name) + row.path }))

type SkillAt = { skill: SkillWithFiles; frontmatter: ParsedFrontmatter; stateVersion: number }

/** A skill with its files and its whole frontmatter, now or at an earlier state. */
export const readSkill = (
  deps: Deps,
  brain: BrainRow,
  { name, asOf }: { name: string; asOf?: number | undefined },
): Promise<SkillAt> =>
  atOneState(deps.db, brain, asOf, async (tx, { stateVersion }) => {
    const place = { brainId: brain.brainId, asOf }
    const [row] = await selectNamedSkills(tx, place, [name])
    if (!row || !isSkill(row)) throw noSuchSkill(name, stateVersion)
    const rows = await selectFiles(tx, place, toFolder(name))
    return { skill: { ...toFacts(row), files: toFiles(name, rows) }, frontmatter: readFrontmatter(row), stateVersion }
  })

/** A file of a skill with its text, or a part of it, and the version of the skill that it is part of. */
export const readSkillFile = (
  deps: Deps,
  brain: BrainRow,
  requested: { name: string; path: string; asOf?: number | undefined; part?: { from: number; length: number } },
) =>
  atOneState(deps.db, brain, requested.asOf, async (tx, { stateVersion }) => {
    const { name, path, asOf, part } = requested
    const folder = toFolder(name)
    const place = { brainId: brain.brainId, asOf }
    const found = await selectFile(tx, place, { folder, path, ...(part ? { part } : {}) })
    if (!found)
      throw notFound(
        `The skill ${JSON.stringify(name)} has no file ${JSON.stringify(path)} at stateVersion ${stateVersion}. Read the skill to see its files.`,
      )
    const { characters, ...row } = found
    return { file: { ...row, documentId: folder + path }, characters, stateVersion }
  })

/** The skills of a Brain by these names, now; those that do not exist are left out. */
export const findSkills = async (db: Queryable, brainId: number, names: readonly string[]): Promise<Skill[]> =>
  names.length === 0 ? [] : toSkills((await selectNamedSkills(db, { brainId }, names)).filter(isSkill))

/** The version of a skill that has these files. */
export const findVersionId = (files: readonly Pick<FileRow, 'path' | 'version' | 'digest'>[]): string =>
  toVersionId(files.map(toLine).join(''))
