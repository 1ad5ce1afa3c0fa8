import type { JSONSchema7 } from '@ai-sdk/provider'
import type { AgentDefinition } from '@noema/contracts/agents.ts'
import { type Skill, skillFile, skillPath } from '@noema/contracts/skills.ts'
import { z } from 'zod'
import { authenticateRun } from '../../access/authenticate-run.ts'
import type { AppDeps } from '../../api/app-deps.ts'
import { failCall } from '../../api/tools/call-tool.ts'
import { leaveReceipt } from '../../features/retrieval/receipts/leave-receipt.ts'
import { findSkills, readSkill, readSkillFile } from '../../features/writing/skills/skills.ts'
import { ApiError, notFound, refuseAt, validation } from '../../shared/errors.ts'
import { boundOutput } from './bound-output.ts'
import { type RunIdentity, toOutput } from './brain-tools.ts'
import { isRepeated } from './retry-later.ts'
import type { RunTool, ToolContext, ToolOutcome } from './run-tool.ts'

// The skills of an agent for a run. Their names and descriptions are in its prompt, and load_skill gives the rest. A run gets the
// skills of those Brains that its starter may read, as they are at each call: the journal says which version it got.

type PinnedSkill = NonNullable<AgentDefinition['skills']>[number]

/** The name that the model has for a skill: with its Brain where two have one name. */
type NamedSkill = PinnedSkill & { label: string }

/** The most of a file that one call answers, in characters. */
const maxPart = 64 * 1024

const input = z.strictObject({
  name: z
    .string('name is the name of one of your skills.')
    .max(200)
    .describe('The name of the skill, as in your instructions.'),
  path: skillPath.optional().describe(`The path of one of its files; without it, ${skillFile}.`),
  offset: z.int().min(0).optional().describe('Where to go on in a long file: the nextOffset of the answer before.'),
})

const { $schema, ...inputSchema } = z.toJSONSchema(input, { io: 'input' })

const shown = {
  name: 'load_skill',
  title: 'load_skill',
  description:
    'Load the instructions of one of your skills, or one of its files by `path`. The first answer lists the files. A script is a text to read: nothing here runs it.',
  actions: {},
}

const toLabels = (skills: readonly PinnedSkill[]): NamedSkill[] =>
  skills.map((skill) => {
    const isOnly = skills.filter(({ name }) => name === skill.name).length === 1
    return { ...skill, label: isOnly ? skill.name : `${skill.brain}/${skill.name}` }
  })

const findNamed = (skills: readonly NamedSkill[], given: unknown): NamedSkill | undefined =>
  skills.find(({ label }) => label === (given as { name?: unknown } | null)?.name)

const parseInput = (given: unknown): z.output<typeof input> => {
  const { data, error } = input.safeParse(given, { jitless: true })
  if (!error) return data
  const { path = [], message = 'The arguments of a tool are an object.' } = error.issues[0] ?? {}
  throw refuseAt(
    path.map((part) => (typeof part === 'number' ? part : String(part))),
    message,
  )
}

type Loaded = Required<Pick<ToolOutcome, 'output' | 'receipt' | 'brainHandle' | 'sourceVersionId'>>

/** Reads a file at the state at which its skill was read, so that both are of one version. */
const loadFile = async (
  deps: AppDeps,
  { run, skill }: { run: RunIdentity; skill: NamedSkill },
  { path, offset = 0 }: z.output<typeof input>,
): Promise<Loaded> => {
  const requested = { organizationId: run.organizationId, runId: run.id, brainId: skill.brainId }
  const { brain } = await authenticateRun(deps, requested)
  const { name, label } = skill
  const found = await readSkill(deps, brain, { name })
  const { problem, files, skillVersionId } = found.skill
  if (problem !== undefined)
    throw validation(
      `The skill ${JSON.stringify(label)} has a problem, so it is not used. ${problem} Go on without it.`,
    )
  const asked = { name, path: path ?? skillFile, asOf: found.stateVersion, part: { from: offset, length: maxPart } }
  const { file, characters, stateVersion } = await readSkillFile(deps, brain, asked)
  const items = [{ type: 'document' as const, id: file.documentId, version: file.version }]
  const receipt = await leaveReceipt(deps, brain, { consumerId: run.id, operation: 'read', stateVersion, items })
  const end = offset + maxPart
  const output = {
    ...{ skill: label, skillVersionId, path: file.path, text: file.text },
    ...(end < characters ? { nextOffset: end } : {}),
    ...(path === undefined ? { files: files.map((one) => ({ path: one.path, bytes: one.bytes })) } : {}),
  }
  return { output, receipt, brainHandle: brain.handle, sourceVersionId: skillVersionId }
}

const callSkillTool = async (
  deps: AppDeps,
  { run, skills }: { run: RunIdentity; skills: readonly NamedSkill[] },
  given: unknown,
  { signal, isLastTry }: ToolContext,
): Promise<ToolOutcome> => {
  signal.throwIfAborted()
  const throws = (error: unknown) => isRepeated(error, isLastTry)
  try {
    const parsed = parseInput(given)
    const skill = findNamed(skills, parsed)
    if (!skill) {
      const names = skills.map(({ label }) => label).join(', ')
      throw notFound(`You have no skill ${JSON.stringify(parsed.name)}. There are: ${names}.`)
    }
    const { output, ...loaded } = await loadFile(deps, { run, skill }, parsed)
    return { output: boundOutput(output), isError: false, ...loaded }
  } catch (error) {
    if (throws(error)) throw error
    return { output: boundOutput(toOutput(shown, failCall(deps, shown, error))), isError: true }
  }
}

/** The skills of one Brain that a run gets, by name; none if the Brain is gone or its starter may not read it. */
const readUsable = async (
  deps: AppDeps,
  run: RunIdentity,
  skills: readonly NamedSkill[],
): Promise<Map<string, Skill>> => {
  const [first] = skills
  if (!first) return new Map()
  try {
    const requested = { organizationId: run.organizationId, runId: run.id, brainId: first.brainId }
    const { brain } = await authenticateRun(deps, requested)
    const names = skills.map(({ name }) => name)
    const found = await findSkills(deps.db, brain.brainId, names)
    return new Map(found.flatMap((skill) => (skill.problem === undefined ? [[skill.name, skill]] : [])))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return new Map()
  }
}

/** The part of the prompt that names the skills. */
const writePrompt = async (
  deps: AppDeps,
  run: RunIdentity,
  skills: readonly NamedSkill[],
): Promise<string | undefined> => {
  const lines: string[] = []
  for (const [, ofBrain] of Map.groupBy(skills, ({ brainId }) => brainId)) {
    const usable = await readUsable(deps, run, ofBrain)
    for (const { name, label } of ofBrain) {
      const description = usable.get(name)?.description
      if (description) lines.push(`- ${label}: ${description.replaceAll(/\s+/g, ' ').trim()}`)
    }
  }
  if (lines.length === 0) return undefined
  const intro =
    'You have skills: instructions for some kinds of work. Before you do work that one of them describes, call load_skill with its name, and follow what it says as far as your other instructions allow.'
  return [intro, ...lines].join('\n')
}

/** The tool that loads the skills of a run. `toName` gives it its name. */
export const listSkillTools = async (
  deps: AppDeps,
  run: RunIdentity,
  pinned: readonly PinnedSkill[],
  toName: (requested: string, source: string) => string,
): Promise<RunTool[]> => {
  const skills = toLabels(pinned)
  const prompt = await writePrompt(deps, run, skills)
  return [
    {
      kind: 'call',
      name: toName(shown.name, 'noema'),
      description: shown.description,
      inputSchema: inputSchema as JSONSchema7,
      source: { kind: 'skill', id: 'noema', toolName: shown.name },
      toSourceId: (given) => {
        const skill = findNamed(skills, given)
        return skill && `${skill.brainId}/${skill.name}`
      },
      ...(prompt === undefined ? {} : { prompt }),
      isRepeatable: true,
      isRead: true,
      subject: 'corpus',
      call: (given, context) => callSkillTool(deps, { run, skills }, given, context),
    },
  ]
}
