import { randomUUID } from 'node:crypto'
import type { BrainRole } from '@noema/contracts/access.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { startEvalRun } from '@noema/contracts/eval-runs.ts'
import type { EvalDefinition, EvalTarget } from '@noema/contracts/evals.ts'
import type { Grader } from '@noema/contracts/graders.ts'
import { conflict, invalidArgument, unknownReference } from '../../../shared/errors.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db } from '../../../storage/database.ts'
import { selectDefinition } from '../../agents/agents/agent-queries.ts'
import { archivedAgent, findAgent, unknownAgent } from '../../agents/agents/agents.ts'
import { type BrainRow, selectBrainById, selectPersonalRole } from '../../kernel/brains/brain-queries.ts'
import { findOpenBrains, openCorpus } from '../../retrieval/corpora/corpora.ts'
import { selectDecision } from '../../writing/change-evals/change-eval-queries.ts'
import { findJudge } from '../evals/definitions.ts'
import { listRubricGraders } from '../grading/grade-answer.ts'
import { findRubric } from '../rubrics/rubrics.ts'
import { lostBrain } from './read-target.ts'
import type { Pinned, PinnedGraders, PinnedRead } from './types.ts'

// A run is fixed to the states of its Brains, and to the versions of the agent, of rubrics and of judges, when it begins. So all cases
// are answered and graded alike, also if something is changed meanwhile.

type Place = { db: Db; organizationId: string; viewer: Viewer }
type Given = BodyOutput<typeof startEvalRun>

/** Refuses what a run of a target cannot be given. */
export const refuseGiven = (target: EvalTarget, { asOf, agentVersion, trials, change }: Given): void => {
  const isAgent = 'agentId' in target
  if (change !== undefined && isAgent)
    throw invalidArgument(
      ['change'],
      'An agent reads its Brains as they are, without a pending change. Test the change by an eval of the Brain: target { brain, read }.',
    )
  if (change !== undefined && asOf !== undefined)
    throw invalidArgument(['change'], 'A change is read on the current state. Leave asOf out.')
  if (asOf !== undefined && !('brainId' in target))
    throw invalidArgument(['asOf'], 'asOf is for evals of a Brain. A corpus names the state of each part itself.')
  if (agentVersion !== undefined && !isAgent)
    throw invalidArgument(['agentVersion'], 'agentVersion is for evals of an agent.')
  if (trials > 1 && !isAgent)
    throw invalidArgument(['trials'], 'A read of one state is the same each time. trials is for evals of an agent.')
}

/** Finds the version of the agent. */
const pinAgent = async ({ db, organizationId, viewer }: Place, id: string, version?: number): Promise<number> => {
  const agent = await findAgent(db, organizationId, id, { viewer })
  if (!agent) throw unknownAgent(['target', 'agentId'], id)
  if (agent.archivedAt !== null) throw archivedAgent()
  if (version === undefined) return agent.version
  if (!(await selectDefinition(db, { organizationId, id, version }, viewer)))
    throw unknownReference(['agentVersion'], `This agent has no version ${version}.`)
  return version
}

const pinBrain = async ({ db, organizationId, viewer }: Place, id: string, asOf?: number): Promise<PinnedRead[]> => {
  const brain = await selectBrainById(db, organizationId, id, viewer)
  if (!brain) throw lostBrain()
  if (asOf !== undefined && asOf > brain.stateVersion)
    throw invalidArgument(['asOf'], `The Brain is at state ${brain.stateVersion}.`)
  return [{ part: 1, brainId: id, brain: brain.handle, asOf: asOf ?? brain.stateVersion }]
}

const pinCorpus = async ({ db, organizationId, viewer }: Place, name: string): Promise<PinnedRead[]> => {
  const { parts } = await openCorpus(
    { db },
    { organizationId, name },
    findOpenBrains({ db }, { organizationId, viewer }),
  )
  const reads = parts.flatMap(({ part, brainId, brain, asOf, ...section }) =>
    brain
      ? [
          {
            ...{ part, brainId, brain: brain.handle, section, isFixed: asOf !== undefined },
            asOf: asOf ?? brain.stateVersion,
          },
        ]
      : [],
  )
  if (reads.length === 0) throw lostBrain()
  return reads
}

const pinReads = (place: Place, target: EvalTarget, { asOf }: Given): Promise<PinnedRead[]> => {
  if ('brainId' in target) return pinBrain(place, target.brainId, asOf)
  return 'corpus' in target ? pinCorpus(place, target.corpus) : Promise.resolve([])
}

/** The newest versions of the rubrics and judges of graders. `at`: the name of the list of graders in the request. */
export const pinGraders = async (place: Place, graders: readonly Grader[], at = 'graders'): Promise<PinnedGraders> => {
  const [rubrics, judges]: [Record<string, number>, Record<string, number>] = [{}, {}]
  for (const [index, { rubric, judge }] of listRubricGraders(graders).entries()) {
    const found = await findRubric(place.db, place.organizationId, rubric)
    if (!found) throw unknownReference([at, index, 'rubric'], `There is no rubric ${JSON.stringify(rubric)}.`)
    rubrics[rubric] = found.version
    judges[judge] = await findJudge(place, judge, [at, index, 'judge'])
  }
  return { rubrics, judges }
}

const reviewRoles: readonly (BrainRole | null)[] = ['reviewer', 'manager']

/** The Brain of a pending change, among those that a run reads: one that its starter may review. */
const pinChange = async (
  { db, organizationId, viewer }: Place,
  reads: readonly PinnedRead[],
  id: string,
): Promise<ChangeOfRun> => {
  const brains = await findOpenBrains(
    { db },
    { organizationId, viewer },
  )([...new Set(reads.map(({ brainId }) => brainId))])
  for (const brain of brains.values()) {
    const decision = await selectDecision(db, brain.brainId, id)
    if (decision === undefined) continue
    if (viewer !== undefined && !reviewRoles.includes(await selectPersonalRole(db, brain.brainId, viewer))) continue
    if (decision !== 'pending')
      throw conflict(`This change is ${decision} already; only a pending change can be tested.`, {
        code: 'already_decided',
      })
    if (reads.some(({ brainId, isFixed }) => brainId === brain.id && isFixed))
      throw invalidArgument(['change'], 'The corpus reads this Brain at a state of the past, where no change waits.')
    return { id, brainId: brain.id, brain }
  }
  throw unknownReference(
    ['change'],
    `What this eval reads has no pending change ${JSON.stringify(id)} that you may review.`,
  )
}

type ChangeOfRun = NonNullable<Pinned['change']> & { brain: BrainRow }

/** Looks up what a run reads and runs, as its starter may. */
export const pinRun = async (
  place: Place,
  definition: EvalDefinition,
  given: Given,
): Promise<{ pinned: Pinned; agentVersion: number | null; changeBrain: number | null }> => {
  const { target } = definition
  refuseGiven(target, given)
  const agentVersion = 'agentId' in target ? await pinAgent(place, target.agentId, given.agentVersion) : null
  const reads = await pinReads(place, target, given)
  const change = given.change === undefined ? undefined : await pinChange(place, reads, given.change)
  const ofChange = change && { change: { id: change.id, brainId: change.brainId } }
  const pinned = { seed: randomUUID(), reads, ...(await pinGraders(place, definition.graders)), ...ofChange }
  return { pinned, agentVersion, changeBrain: change?.brain.brainId ?? null }
}
