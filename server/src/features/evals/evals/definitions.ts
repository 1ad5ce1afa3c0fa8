import type { EvalCase, EvalDefinition, EvalTarget, newTarget } from '@noema/contracts/evals.ts'
import { maxEvalBytes } from '@noema/contracts/evals.ts'
import type { Grader } from '@noema/contracts/graders.ts'
import type { z } from 'zod'
import { ApiError, conflict, invalidArgument, type Path, refuseAt, unknownReference } from '../../../shared/errors.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Queryable } from '../../../storage/database.ts'
import { findAgent, unknownAgent } from '../../agents/agents/agents.ts'
import type { OutputChecks } from '../../agents/agents/output-checks.ts'
import { selectIdsByHandles } from '../../kernel/brains/brain-queries.ts'
import { noSuchBrain } from '../../kernel/brains/brains.ts'
import { listCorpusNames } from '../../retrieval/corpora/corpora.ts'
import { findRubric } from '../rubrics/rubrics.ts'

// Writing an eval looks up everything that it names, as its writer may see it.

type Place = { db: Queryable; organizationId: string; viewer: Viewer }

/** The refusal of an agent that may not judge: what it judges may contain instructions, and it must not be able to follow them. */
const isNoJudge = (path: Path) =>
  invalidArgument(
    path,
    'A judge is an agent without tools, Brains, corpora and skills, so that no answer that it judges can make it do anything. Name another one.',
  )

/** The version of an agent that judges. Throws if it cannot judge. */
export const findJudge = async ({ db, organizationId, viewer }: Place, id: string, path: Path): Promise<number> => {
  const agent = await findAgent(db, organizationId, id, { viewer })
  if (!agent) throw unknownAgent(path, id)
  if (agent.archivedAt !== null) throw invalidArgument(path, 'This agent is archived. Name another one.')
  const { tools, brains, corpora = [], skills = [] } = agent.definition
  if (tools.length + brains.length + corpora.length + skills.length > 0) throw isNoJudge(path)
  return agent.version
}

/** The name of a grader in results. */
export const toGraderName = ({ name, type }: Pick<Grader, 'name' | 'type'>): string => name ?? type

const ofAgents: readonly Grader['type'][] = ['cited', 'operations']
const ofReads: readonly Grader['type'][] = ['evidence']

const checkFits = (grader: Grader, target: EvalTarget, path: Path): void => {
  const isAgent = 'agentId' in target
  if (!isAgent && ofAgents.includes(grader.type))
    throw invalidArgument(path, `${grader.type} grades runs of agents, not reads.`)
  if (isAgent && ofReads.includes(grader.type))
    throw invalidArgument(path, `${grader.type} grades reads, not runs of an agent.`)
}

type Checks = Pick<OutputChecks, 'checkSchema' | 'checkPattern'>

/** Refuses schemas and patterns by which nothing can be graded. They may take long, so no transaction is open. */
export const checkPatterns = async (
  checks: Checks,
  organizationId: string,
  graders: readonly Grader[],
  at = 'graders',
): Promise<void> => {
  for (const [index, grader] of graders.entries()) {
    const path: Path = [at, index]
    if (grader.type === 'regex' && grader.pattern !== undefined) {
      const problem = await checks.checkPattern(organizationId, grader.pattern)
      if (problem !== undefined) throw refuseAt([...path, 'pattern'], problem)
    }
    if (grader.type !== 'json_schema') continue
    try {
      await checks.checkSchema(organizationId, grader.schema)
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind !== 'validation') throw error
      throw refuseAt([...path, 'schema'], error.message)
    }
  }
}

/** Refuses graders that do not fit a target, and what they name that is not there. */
export const checkGraders = async (
  place: Place,
  graders: readonly Grader[],
  target: EvalTarget,
  at = 'graders',
): Promise<void> => {
  const names = graders.map(toGraderName)
  for (const [index, grader] of graders.entries()) {
    const path: Path = [at, index]
    if (names.indexOf(names[index] ?? '') !== index)
      throw invalidArgument([...path, 'name'], `Two graders are called ${JSON.stringify(names[index])}. Name them.`)
    checkFits(grader, target, [...path, 'type'])
    if (grader.type !== 'rubric') continue
    if (!(await findRubric(place.db, place.organizationId, grader.rubric)))
      throw invalidArgument([...path, 'rubric'], `There is no rubric ${JSON.stringify(grader.rubric)}.`)
    await findJudge(place, grader.judge, [...path, 'judge'])
  }
}

/** Looks up what a target names. */
export const findTarget = async (place: Place, given: z.output<typeof newTarget>): Promise<EvalTarget> => {
  const { db, organizationId, viewer } = place
  if ('agentId' in given) {
    const agent = await findAgent(db, organizationId, given.agentId, { viewer })
    if (!agent) throw unknownAgent(['target', 'agentId'], given.agentId)
    return given
  }
  if ('corpus' in given) {
    if ((await listCorpusNames(db, organizationId, [given.corpus])).length === 0)
      throw unknownReference(['target', 'corpus'], `There is no corpus ${JSON.stringify(given.corpus)}.`)
    return given
  }
  const handle = given.brain
  const id = (await selectIdsByHandles(db, organizationId, [handle], viewer)).get(handle)
  if (id === undefined) throw unknownReference(['target', 'brain'], noSuchBrain(handle).message)
  return { ...given, brainId: id }
}

/** Refuses a definition that cannot be run. */
export const checkDefinition = async (place: Place, { graders, target }: EvalDefinition): Promise<void> =>
  checkGraders(place, graders, target)

/** Refuses cases beyond the maximum of an eval. */
export const checkSize = (
  definition: EvalDefinition,
  { cases, bytes }: { cases: number; bytes: number },
  max: number,
) => {
  if (cases === 0) throw refuseAt(['cases'], 'An eval has at least one case.')
  if (cases > max) throw refuseAt(['cases'], `An eval has at most ${max} cases, and would have ${cases}.`)
  if (bytes + Buffer.byteLength(JSON.stringify(definition)) > maxEvalBytes)
    throw refuseAt(['cases'], `An eval has at most ${maxEvalBytes / 1024} KiB of JSON text. Split it.`)
}

/** The refusal of an eval that was archived. */
export const archivedEval = () =>
  conflict('This eval is archived: it can be read, but neither run nor changed. Create another one.', {
    code: 'eval_archived',
  })

/** Two cases of one id would be one: the contract refuses them where all cases are given. */
export const checkIds = (cases: readonly EvalCase[]): void => {
  if (new Set(cases.map(({ id }) => id)).size < cases.length) throw refuseAt(['cases'], 'Two cases have the same id.')
}
