import { createHash } from 'node:crypto'
import { basename, resolve } from 'node:path'
import { skillPath } from '@noema/contracts/skills.ts'
import type { BrainClient } from '@noema/sdk'
import { ApiError } from '@noema/sdk/errors.ts'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeFolder } from '../files/write-folder.ts'
import { writeJson, writeLine } from '../output.ts'
import { confirmLoss, parseListLimit, parseNumber } from '../parse-options.ts'
import { readSkillFolder } from '../skills/read-folder.ts'
import { type Column, writeList } from '../table.ts'

type Options = GlobalOptions & { brain: string }
type Skill = Awaited<ReturnType<BrainClient['skills']['list']>>['skills'][number]
type Current = Awaited<ReturnType<BrainClient['skills']['get']>>['skill']

const columns: Column<Skill>[] = [
  { title: 'SKILL', value: ({ name }) => name },
  { title: 'FILES', value: ({ files }) => String(files) },
  { title: 'DESCRIPTION', value: ({ description, problem }) => problem ?? description ?? '', shrinks: true },
]

const asSkill = { what: 'skill', isPath: (path: string) => skillPath.safeParse(path).success }

const openSkills = (context: Context, options: Options) => connectClient(context, options).brain(options.brain).skills

/** Lists the skills of a Brain. */
export const listSkills = async (context: Context, options: Options & { limit?: string }): Promise<number> => {
  const { limit, page } = parseListLimit(options.limit)
  const list = openSkills(context, options).list({ limit: page }, { signal: context.signal })
  await writeList(context, options, {
    ...{ list, columns, limit },
    none: 'There is no skill yet. Push one: noema skills push <folder>',
  })
  return exitCodes.ok
}

const toDigest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The differences between a folder and the skill: added, changed and missing paths. */
const listDifferences = (files: readonly { path: string; text: string }[], current: Current | undefined): string[] => {
  const known = new Map(current?.files.map(({ path, digest }) => [path, digest]))
  const lines = files.flatMap(({ path, text }) => {
    const digest = known.get(path)
    known.delete(path)
    if (digest === undefined) return [`+ ${path}`]
    return digest === toDigest(text) ? [] : [`~ ${path}`]
  })
  return [...lines, ...[...known.keys()].map((path) => `- ${path}`)]
}

/** The skill as it is; undefined if there is none, or the key may not read. */
const findCurrent = (skills: BrainClient['skills'], name: string, signal: AbortSignal): Promise<Current | undefined> =>
  skills.get(name, {}, { signal }).then(
    ({ skill }) => skill,
    (error: unknown) => {
      if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return undefined
      throw error
    },
  )

/** Writes a folder as a skill, and says which files change, or that the change waits for review. */
export const pushSkill = async (
  context: Context,
  folder: string,
  options: Options & { ifMatch?: string; corrects?: string; reason?: string },
): Promise<number> => {
  const { signal, stdout, stderr, cwd } = context
  const { ifMatch, corrects, reason } = options
  const { files, skipped } = await readSkillFolder(resolve(cwd, folder))
  for (const path of skipped) await writeLine(stderr, `noema: ${path} was left out: it is not a file.`)
  const name = basename(resolve(cwd, folder))
  const skills = openSkills(context, options)
  const current = options.json ? undefined : await findCurrent(skills, name, signal)
  const body = {
    files,
    ...(ifMatch === undefined ? {} : { ifMatch }),
    ...(corrects === undefined ? {} : { corrects }),
    ...(reason === undefined ? {} : { reason }),
  }
  const answer = await skills.put(name, body, { signal })
  if (options.json) {
    await writeJson(stdout, answer)
    return exitCodes.ok
  }
  for (const line of listDifferences(files, current)) await writeLine(stdout, line)
  const { outcome, change, counts, skill } = answer
  const { add, update, retire } = counts
  if (change === null) await writeLine(stderr, `Nothing differs from ${name} in ${options.brain}.`)
  else if (outcome === 'staged')
    await writeLine(stderr, `It waits for review: noema changes show ${change.id} --brain ${options.brain}`)
  else
    await writeLine(
      stderr,
      `${name}: ${add} added, ${update} updated, ${retire} retired. Its version is ${skill.skillVersionId}.`,
    )
  return exitCodes.ok
}

/** Reads the texts of a skill at the state at which its list of files was read. */
const readFiles = async (
  skills: BrainClient['skills'],
  name: string,
  asOf: number | undefined,
  signal: AbortSignal,
) => {
  const { skill, stateVersion } = await skills.get(name, asOf === undefined ? {} : { asOf }, { signal })
  const files: { path: string; text: string }[] = []
  for (const { path } of skill.files) {
    const { file } = await skills.file(name, path, { asOf: stateVersion }, { signal })
    files.push({ path, text: file.text })
  }
  return { skill, files }
}

/** Writes a skill into a folder. */
export const pullSkill = async (
  context: Context,
  { name, folder = name }: { name: string; folder?: string | undefined },
  options: Options & { overwrite?: boolean; asOf?: string },
): Promise<number> => {
  const { signal, stdout, stderr, cwd } = context
  const asOf = parseNumber(options.asOf, '--as-of')
  const { skill, files } = await readFiles(openSkills(context, options), name, asOf, signal)
  await writeFolder(resolve(cwd, folder), files, { ...asSkill, overwrites: options.overwrite === true })
  if (options.json) {
    await writeJson(stdout, skill)
    return exitCodes.ok
  }
  for (const { path } of files) await writeLine(stdout, path)
  if (skill.problem !== undefined) await writeLine(stderr, `noema: ${skill.problem}`)
  await writeLine(
    stderr,
    `Its version is ${skill.skillVersionId}. Push your edits with --if-match ${skill.skillVersionId}.`,
  )
  return exitCodes.ok
}

/** Deletes a skill, after a yes. */
export const deleteSkill = async (
  context: Context,
  name: string,
  options: Options & { yes?: boolean },
): Promise<number> => {
  await confirmLoss(context, options, `Delete the skill ${name}? Its earlier versions can still be read.`)
  const answer = await openSkills(context, options).delete(name, {}, { signal: context.signal })
  if (options.json) await writeJson(context.stdout, answer)
  else if (answer.outcome === 'staged' && answer.change)
    await writeLine(
      context.stderr,
      `It waits for review: noema changes show ${answer.change.id} --brain ${options.brain}`,
    )
  return exitCodes.ok
}
