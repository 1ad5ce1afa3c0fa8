import type { Eval, EvalCase } from '@noema/contracts/evals.ts'
import type { ExpectedItem, Grader } from '@noema/contracts/graders.ts'
import type { PackEval, PackFile } from '@noema/contracts/pack-files.ts'
import { includedPrefix } from '@noema/contracts/rubrics.ts'
import type { Client } from '@noema/sdk'

// The evals of a Brain and of its agents, in the form of a pack: agents are named, and the Brain is that of the install.

type Agent = Awaited<ReturnType<Client['agents']['list']>>['agents'][number]
type Brain = { id: string; handle: string }
/** `agents`: those of the Brain; `all`: those of the organization, among which judges are. */
type Place = { brain: Brain; agents: readonly Agent[]; all: readonly Agent[] }

const toTarget = ({ target }: Eval, { brain, agents }: Place): PackEval['target'] | undefined => {
  if ('agentId' in target) {
    const agent = agents.find(({ id }) => id === target.agentId)
    return agent && { agent: agent.name }
  }
  if (!('brainId' in target) || target.brainId !== brain.id) return undefined
  const { brainId: _id, brain: _handle, ...read } = target
  return read
}

/** Items without the handle of this Brain, which is another one where the pack is installed. */
const toItems = (items: readonly ExpectedItem[], { handle }: Brain): ExpectedItem[] =>
  items.map(({ brain, ...rest }) => (brain === undefined || brain === handle ? rest : { ...rest, brain }))

const toCase = (given: EvalCase, brain: Brain): EvalCase => {
  const { expected } = given
  if (expected === undefined || typeof expected === 'string') return given
  const { found, notFound, ...rest } = expected
  return {
    ...given,
    expected: {
      ...rest,
      ...(found ? { found: toItems(found, brain) } : {}),
      ...(notFound ? { notFound: toItems(notFound, brain) } : {}),
    },
  }
}

const listCases = async (client: Client, id: string, brain: Brain, signal: AbortSignal): Promise<EvalCase[]> => {
  const cases: EvalCase[] = []
  for await (const one of client.evals.cases(id, { limit: 500 }, { signal })) cases.push(toCase(one, brain))
  return cases
}

type RubricGrader = Extract<Grader, { type: 'rubric' }>
const isRubric = (grader: Grader): grader is RubricGrader => grader.type === 'rubric'

/** The evals with the rubrics and judges that they name, and those that no pack can have. */
export const exportEvals = async (client: Client, place: Place, signal: AbortSignal) => {
  const judges = new Map<string, Agent>()
  const rubrics = new Map<string, PackFile['rubrics'][number]>()
  const [evals, left]: [PackEval[], { name: string; reason: string }[]] = [[], []]
  for await (const found of client.evals.list({ archived: 'false', limit: 500 }, { signal })) {
    const target = toTarget(found, place)
    if (!target) continue
    const { id, name, graders } = found
    const named = graders.filter(isRubric)
    const judging = named.flatMap(({ judge }) => place.all.find((agent) => agent.id === judge) ?? [])
    if (judging.length < named.length) {
      left.push({ name, reason: 'a judge of it is archived.' })
      continue
    }
    for (const agent of judging) judges.set(agent.id, agent)
    for (const { rubric } of named)
      if (!rubric.startsWith(includedPrefix) && !rubrics.has(rubric))
        rubrics.set(rubric, { name: rubric, criteria: (await client.rubrics.get(rubric, { signal })).rubric.criteria })
    const cases = await listCases(client, id, place.brain, signal)
    const toGrader = (grader: Grader): Grader => {
      if (isRubric(grader)) return { ...grader, judge: judges.get(grader.judge)?.name ?? grader.judge }
      return 'items' in grader && grader.items ? { ...grader, items: toItems(grader.items, place.brain) } : grader
    }
    evals.push({ name, target, cases, graders: graders.map(toGrader) })
  }
  return { evals, left, judges: [...judges.values()], rubrics: [...rubrics.values()] }
}
