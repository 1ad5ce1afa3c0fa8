import { z } from 'zod'
import { agentAccess } from './agents.ts'
import { operation } from './batch.ts'
import { cases, graders, readOfTarget } from './evals.ts'
import { isObject } from './json.ts'
import { kind } from './records.ts'
import { criteria, includedPrefix, rubricName } from './rubrics.ts'
import { schemaKinds } from './schema-kinds.ts'
import { newSkillFile, skillName } from './skills.ts'

// The file of a pack: what an install brings to a Brain. Texts may contain `{{name}}` for each parameter, which the install fills.

/** The limits of the packs of an organization. */
export const packLimits = {
  packs: 50,
  /** Versions of a pack that are kept. */
  versions: 20,
  /** Bytes of JSON of all versions of all packs together. */
  bytes: 32 * 1024 * 1024,
  /** Bytes of JSON of one pack when its parameters are filled. */
  filledBytes: 2 * 1024 * 1024,
  /** Bytes of what lists show of a pack. */
  shownBytes: 32 * 1024,
  /** Characters of the text of a parameter. */
  valueLength: 2_000,
} as const

/** The name of a pack, in its path. */
export const packName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'A pack name has 1 to 63 of a-z, 0-9 and -, and begins with a letter or digit.')
  .describe('Such as people-and-conversations')

const text = (max: number) => z.string().min(1).max(max)
const description = text(2_000).describe('The purpose, in a sentence or two.')
const name = text(200).describe('The name, for people.')

/** The value of a parameter. */
export const parameterValue = z
  .union([z.string().max(packLimits.valueLength), z.number(), z.boolean()], {
    error: `A value is a text of at most ${packLimits.valueLength} characters, a number, true or false.`,
  })
  .describe('The value of a parameter.')
export type ParameterValue = z.infer<typeof parameterValue>

const parameterName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,62}$/, 'The name of a parameter has letters, digits and _, and begins with a letter.')

export const packParameter = z
  .strictObject({
    name: parameterName.describe('The name, which texts have between {{ and }}.'),
    type: z.enum(['text', 'number', 'boolean', 'choice']).describe('The type of the value.'),
    title: text(200).optional().describe('The title, for people.'),
    description: description.optional(),
    values: z.array(text(200)).min(1).max(100).optional().describe('The values of a choice.'),
    default: parameterValue.optional().describe('The value if the install names none. Without it, the install must.'),
  })
  .superRefine((parameter, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if ((parameter.type === 'choice') !== (parameter.values !== undefined))
      refuse('values', 'A choice, and only a choice, lists values.')
    const problem = parameter.default === undefined ? undefined : findValueProblem(parameter, parameter.default)
    if (problem !== undefined) refuse('default', problem)
  })
  .describe('A value that the install fills in.')
export type PackParameter = z.infer<typeof packParameter>

/** Why a value does not fit a parameter. */
export const findValueProblem = (
  { type, values }: { type: PackParameter['type']; values?: string[] | undefined },
  value: ParameterValue,
): string | undefined => {
  if (type === 'number') return typeof value === 'number' ? undefined : 'It is a number.'
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'It is true or false.'
  if (typeof value !== 'string') return 'It is a text.'
  return type === 'choice' && !values?.includes(value) ? `It is one of ${values?.join(', ')}.` : undefined
}

const packAgent = z
  .strictObject({
    name,
    description,
    instructions: text(100_000).describe('The instructions that the agent gets in every run.'),
    access: z
      .enum(['none', ...agentAccess.options])
      .describe('Its access to the Brain. The judge of a rubric has none.'),
    outputSchema: z
      .custom<{ [name: string]: unknown }>(isObject, 'outputSchema is a JSON Schema: an object.')
      .optional()
      .meta({ type: 'object', description: 'A JSON Schema of an object.' }),
  })
  .describe('An agent. Its model is chosen at the install.')

const packTrigger = z
  .strictObject({
    name,
    agent: text(200).describe('The name of an agent of the pack.'),
    expectedOutcome: text(2_000).describe('The goal of the run, for the model.'),
    requiredAccess: agentAccess,
    entityKinds: z.array(kind).min(1).max(20).describe('Changes to things of these kinds start the agent.'),
  })
  .describe('The cause that starts an agent of the pack.')

const packSkill = z
  .strictObject({ name: skillName, files: z.array(newSkillFile).min(1).max(100).describe('The files, with SKILL.md.') })
  .describe('A skill of the Brain.')

const packRubric = z.strictObject({ name: rubricName.describe('The name.'), criteria }).describe('A rubric.')

const packEval = z
  .strictObject({
    name,
    target: z
      .union(
        [
          z.strictObject({ agent: text(200).describe('The name of an agent of the pack.') }),
          z.strictObject(readOfTarget),
        ],
        { error: 'target is { agent }, with the name of an agent of the pack, or { read } for the Brain.' },
      )
      .describe('What is tested: an agent of the pack, or reads of the Brain.'),
    cases,
    graders: graders.describe('The graders. The judge of a rubric is an agent of the pack, by its name.'),
  })
  .describe('An eval of an agent of the pack, or of the Brain.')
export type PackEval = z.output<typeof packEval>

/** The agents that an eval of a pack names, with their places. */
const listNamedAgents = ({ target, graders: list }: PackEval) => [
  ...('agent' in target ? [{ at: ['target', 'agent'], agent: target.agent, isJudge: false }] : []),
  ...list.flatMap((one, index) =>
    one.type === 'rubric' ? [{ at: ['graders', index, 'judge'], agent: one.judge, isJudge: true }] : [],
  ),
]

const isUnique = (items: readonly { name: string }[]): boolean =>
  new Set(items.map((item) => item.name)).size === items.length
const once = 'Two of them have one name.'

type Problem = { path: (string | number)[]; message: string }
type Agents = readonly z.output<typeof packAgent>[]

const noAgent = 'The pack has no such agent.'

const listTriggerProblems = (pack: { agents: Agents; triggers: readonly z.output<typeof packTrigger>[] }): Problem[] =>
  pack.triggers.flatMap(({ agent, requiredAccess }, index) => {
    const found = pack.agents.find((one) => one.name === agent)
    const path = ['triggers', index, 'agent']
    if (!found) return { path, message: noAgent }
    if (found.access !== 'none') return []
    return { path, message: `This agent has no access to the Brain, and ${requiredAccess} is required.` }
  })

const listRubricProblems = ({ rubrics }: { rubrics: readonly { name: string }[] }): Problem[] =>
  rubrics.flatMap((rubric, index) =>
    rubric.name.startsWith(includedPrefix)
      ? { path: ['rubrics', index, 'name'], message: `Names that begin with ${includedPrefix} are taken.` }
      : [],
  )

const listEvalProblems = (pack: {
  agents: Agents
  rubrics: readonly { name: string }[]
  evals: readonly PackEval[]
}): Problem[] =>
  pack.evals.flatMap((one, index) => [
    ...listNamedAgents(one).flatMap(({ at, agent, isJudge }) => {
      const found = pack.agents.find(({ name: known }) => known === agent)
      const path = ['evals', index, ...at]
      if (!found) return { path, message: noAgent }
      return isJudge && found.access !== 'none' ? { path, message: 'A judge has the access none.' } : []
    }),
    ...one.graders.flatMap((grader, at) => {
      if (grader.type !== 'rubric' || grader.rubric.startsWith(includedPrefix)) return []
      if (pack.rubrics.some(({ name: known }) => known === grader.rubric)) return []
      return { path: ['evals', index, 'graders', at, 'rubric'], message: 'The pack has no such rubric.' }
    }),
  ])

/** A pack as its file says it. */
export const packFile = z
  .strictObject({
    title: text(200).describe('The title, for people.'),
    description,
    purpose: text(2_000).describe('The purpose of the Brain if the install makes it.'),
    parameters: z.array(packParameter).max(30).refine(isUnique, once).default([]).describe('The parameters.'),
    kinds: schemaKinds.max(100).default([]),
    agents: z.array(packAgent).max(20).refine(isUnique, once).default([]).describe('The agents.'),
    triggers: z.array(packTrigger).max(20).refine(isUnique, once).default([]).describe('The triggers.'),
    skills: z.array(packSkill).max(20).refine(isUnique, once).default([]).describe('The skills.'),
    rubrics: z.array(packRubric).max(20).refine(isUnique, once).default([]).describe('The rubrics.'),
    evals: z.array(packEval).max(20).refine(isUnique, once).default([]).describe('The evals.'),
    sample: z.array(operation).max(500).default([]).describe('Content that the install proposes.'),
  })
  .superRefine((pack, context) => {
    for (const { path, message } of [
      ...listTriggerProblems(pack),
      ...listRubricProblems(pack),
      ...listEvalProblems(pack),
    ])
      context.addIssue({ code: 'custom', path, message })
  })
  .describe(
    'A pack: kinds, agents, triggers, skills, rubrics, evals and content. A parameter replaces `{{name}}` in a text.',
  )
export type PackFile = z.output<typeof packFile>
export type PackFileInput = z.input<typeof packFile>

let schema: object | undefined

/** The JSON Schema (2020-12) of the file of a pack. It is made once, when it is asked for. */
export const toPackSchema = (): object => {
  schema ??= z.toJSONSchema(packFile, { io: 'input', unrepresentable: 'any' })
  return schema
}
