import { addBrain, type TestBrain } from '../../../test/app.ts'
import { runPass } from '../../../test/run-pass.ts'
import type { useAgents } from '../../agents/agents/use-agents.fixture.ts'
import { createEvalWork } from '../eval-runs/run-evals.ts'
import { useEvals } from '../eval-runs/use-evals.fixture.ts'
import { createChangeEvalWork } from './run-change-evals.ts'

type Brain = TestBrain

/** Brains that require evals, in an app whose background work a test runs by hand. */
export const useGate = (agents: ReturnType<typeof useAgents>) => {
  const { app, scene } = agents
  const { create, start, read: readRun, results } = useEvals(agents)

  const target = (brain = 'brain') => ({ brain, read: 'search', mode: 'lexical' })
  const graders = [{ type: 'contains' }]
  const harbor = { id: 'harbor', input: 'harbor tide', expected: 'noon' }
  const crane = { id: 'crane', input: 'crane tons', expected: 'forty' }

  const stage = async (brain: Brain, ...operations: object[]): Promise<string> => {
    const { status, body } = await brain.call('POST', '/batch', { operations, review: true })
    if (status !== 202) throw new Error(JSON.stringify(body))
    return body.data.change.id
  }
  const put = (id: string, text: string) => ({ op: 'document.put', id, text })
  const read = async (brain: Brain, id: string) => (await brain.call('GET', `/changes/${id}`)).body.data.change

  const work = async (isOver: () => Promise<boolean>) => {
    for (let turns = 0; turns < 20; turns++) {
      if (await isOver()) return
      await runPass(app.app.deps, createChangeEvalWork(app.app.deps))
      await runPass(app.app.deps, createEvalWork(app.app.deps))
      app.clock.advance({ seconds: 3 })
    }
    throw new Error('It was not over after 20 turns.')
  }

  /** Works until a run of an eval has ended. */
  const ended = async (id: string) => {
    await work(async () => (await readRun(id)).completedAt !== null)
    return readRun(id)
  }

  /** Works until the required eval says something about a change. */
  const judged = async (brain: Brain, id: string) => {
    await work(async () => (await read(brain, id)).eval.state !== 'pending')
    return (await read(brain, id)).eval
  }
  const approve = (brain: Brain, id: string, more: object = {}) =>
    brain.call('POST', `/changes/${id}/decide`, { decision: 'approved', ...more })
  const code = async (answer: ReturnType<Brain['call']>) => {
    const { status, body } = await answer
    return status < 300 ? status : body.error.code
  }

  /** A Brain with two documents, and an eval that it requires. */
  const gated = async (handle: string, cases: object[] = [harbor, crane]) => {
    const brain = await addBrain(app, scene.member, handle)
    for (const operation of [
      put('tide', 'The harbor has a high tide at noon.'),
      put('crane', 'The crane lifts forty tons.'),
    ])
      await brain.call('POST', '/batch', { operations: [operation] })
    const made = await create({ target: target(handle), cases, graders })
    const { status, body } = await brain.call('PATCH', '', { reviewRules: { requireEval: made.id } })
    if (status !== 200) throw new Error(JSON.stringify(body))
    return { brain, evalId: made.id as string }
  }

  return {
    create,
    start,
    results,
    target,
    graders,
    harbor,
    crane,
    stage,
    put,
    read,
    work,
    ended,
    judged,
    approve,
    code,
    gated,
  }
}
