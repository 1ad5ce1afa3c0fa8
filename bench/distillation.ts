import { setTimeout } from 'node:timers/promises'
import { type Noema, startNoema } from './parts/noema.ts'
import { startScratchPostgres } from './parts/scratch-postgres.ts'

// The effect of distilled lessons on an eval of a Brain, with the built-in model alone: cases that pass only afterwards, and cases that
// pass only before. Questions that a person answered to a run should be found afterwards; questions that nothing answers should still
// find nothing, and what was known should still be found.

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const each = 10
const names = ['amber', 'birch', 'cedar', 'dune', 'ember', 'fjord', 'grove', 'heath', 'inlet', 'jetty'].slice(0, each)

const known = (name: string) => ({
  question: `When does the ${name} ferry leave?`,
  answer: `at noon from pier ${name}`,
})
const asked = (name: string) => ({ question: `Who holds the warrant of ${name}castle?`, answer: `Captain Ora${name}` })
const unknown = (name: string) => `zzq${name} xylo${name}`

const until = async <Found>(read: () => Promise<Found>, isDone: (found: Found) => boolean): Promise<Found> => {
  for (;;) {
    const found = await read()
    if (isDone(found)) return found
    await setTimeout(100)
  }
}

type Run = { run: { runId: string; state: string; completedAt: string | null } }
type Tasks = { tasks: { taskId: string }[] }
type EvalRun = {
  run: { id: string; completedAt: string | null; passed: number; cases: number; baseline?: { flipped: string[] } }
}
type Items = { items: { type: string; change: string | null }[]; distillation: { completedAt: string | null } }

/** Asks an agent; a person answers what it asks. */
const ask = async (noema: Noema, agentId: string, input: string, answer?: string): Promise<void> => {
  const { run } = await noema.call<Run>('POST', '/v1/runs', { agentId, input })
  const read = () => noema.call<Run>('GET', `/v1/runs/${run.runId}`)
  const stopped = await until(read, (found) => found.run.completedAt !== null || found.run.state === 'waiting')
  if (stopped.run.state !== 'waiting') return
  const { tasks } = await noema.call<Tasks>('GET', `/v1/tasks?runId=${run.runId}`)
  await noema.call('POST', `/v1/tasks/${tasks[0]?.taskId}/complete`, { answer: answer ?? 'I do not know.' })
  await until(read, (found) => found.run.completedAt !== null)
}

const runEval = async (noema: Noema, id: string): Promise<EvalRun['run']> => {
  const { run } = await noema.call<EvalRun>('POST', `/v1/evals/${id}/runs`, {})
  const read = () => noema.call<EvalRun>('GET', `/v1/eval-runs/${run.id}`)
  return (await until(read, (found) => found.run.completedAt !== null)).run
}

const makeEval = async (noema: Noema): Promise<string> => {
  const cases = names.flatMap((name) => [
    { id: `known-${name}`, input: known(name).question, expected: { contains: [known(name).answer] } },
    { id: `asked-${name}`, input: asked(name).question, expected: { contains: [asked(name).answer] } },
    { id: `unknown-${name}`, input: unknown(name), expected: { evidence: 'none' } },
  ])
  const target = { brain: 'bench', read: 'search', mode: 'lexical', limit: 5 }
  const graders = [{ type: 'contains' }, { type: 'evidence' }]
  return (await noema.call<{ eval: { id: string } }>('POST', '/v1/evals', { name: 'Bench', target, cases, graders }))
    .eval.id
}

const makeAgent = async (noema: Noema, tools: string[]): Promise<string> => {
  const given = { name: `Clerk ${tools.join()}`, instructions: 'Answer.', model: 'noema/extractive', tools }
  const made = await noema.call<{ agent: { id: string } }>('POST', '/v1/agents', {
    ...given,
    brains: [{ handle: 'bench' }],
  })
  return made.agent.id
}

/** Distills all runs, and approves every lesson. */
const distill = async (noema: Noema): Promise<number> => {
  const body = { from: {}, into: { brain: 'bench' }, produce: ['lesson'] }
  const { distillation } = await noema.call<{ distillation: { id: string } }>('POST', '/v1/distillations', body)
  const read = () => noema.call<Items>('GET', `/v1/distillations/${distillation.id}`)
  const { items } = await until(read, (found) => found.distillation.completedAt !== null)
  const changes = items.flatMap(({ change }) => change ?? [])
  for (const change of changes)
    await noema.call('POST', `/v1/brains/bench/changes/${change}/decide`, { decision: 'approved' })
  return changes.length
}

const measure = async (noema: Noema): Promise<void> => {
  await noema.call('PUT', '/v1/brains/bench', {})
  for (const name of names) {
    const { question, answer } = known(name)
    await noema.call('POST', '/v1/brains/bench/documents', { id: name, title: question, text: `It leaves ${answer}.` })
  }
  const id = await makeEval(noema)
  const before = await runEval(noema, id)
  const [asking, silent] = [await makeAgent(noema, ['ask_human']), await makeAgent(noema, [])]
  for (const name of names) {
    await ask(noema, asking, asked(name).question, asked(name).answer)
    await ask(noema, silent, unknown(name))
  }
  const lessons = await distill(noema)
  const after = await runEval(noema, id)
  const flipped = after.baseline?.flipped ?? []
  const improved = flipped.filter((one) => one.startsWith('asked-')).length
  say(`${lessons} lessons approved`)
  say(`passed before: ${before.passed} of ${before.cases}; after: ${after.passed}`)
  say(
    `improved: ${improved}, harmed: ${flipped.length - improved} (${flipped.filter((one) => !one.startsWith('asked-')).join(', ')})`,
  )
}

const postgres = await startScratchPostgres()
const noema = await startNoema(await postgres.createDatabase('distillation'))
try {
  await measure(noema)
} finally {
  await noema.stop()
  await postgres.stop()
}
