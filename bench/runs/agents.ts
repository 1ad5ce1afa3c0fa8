import type { Noema } from '../parts/noema.ts'

// What the measurements of runs share: agents to start them of, and what becomes of them.

export type Run = {
  runId: string
  state: string
  createdAt: string
  startedAt: string | null
  completedAt: string | null
}

/** A Brain with a few facts, to be read by agents. */
export const addFacts = async ({ call }: Noema, brain: string): Promise<void> => {
  const path = `/v1/brains/${brain}`
  await call('PUT', path, {})
  const facts = ['Ada Lovelace wrote the first program.', 'Charles Babbage designed the Analytical Engine.']
  for (const [n, text] of facts.entries()) await call('POST', `${path}/documents`, { id: `fact-${n}`, text })
}

/** An agent that reads a Brain. */
export const addAgent = async ({ call }: Noema, name: string, given: object): Promise<string> => {
  const body = { name, instructions: 'Answer from the Brain.', ...given }
  const { agent } = await call<{ agent: { id: string } }>('POST', '/v1/agents', body)
  return agent.id
}

/** Starts a run and answers at once. */
export const startRun = async (
  { call }: Noema,
  agentId: string,
  input = 'Who wrote the first program?',
): Promise<Run> => (await call<{ run: Run }>('POST', '/v1/runs', { agentId, input })).run

/** Starts a run and waits for its end; throws where it did not complete. */
export const completeRun = async (noema: Noema, agentId: string): Promise<void> => {
  const response = await fetch(`http://127.0.0.1:${noema.port}/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${noema.key}`, 'content-type': 'application/json', prefer: 'wait=30' },
    body: JSON.stringify({ agentId, input: 'Who wrote the first program?' }),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`a run was answered ${response.status}: ${text}`)
  const { run } = JSON.parse(text).data as { run: Run }
  if (run.state !== 'completed') throw new Error(`a run ended ${run.state}: ${text}`)
}

/** How often a task is done a second by so many at once, for so long, and how often it was. */
export const measureRate = async (
  atOnce: number,
  seconds: number,
  task: () => Promise<void>,
): Promise<{ rate: number; done: number }> => {
  const began = performance.now()
  let done = 0
  const worker = async () => {
    while (performance.now() - began < seconds * 1000) {
      await task()
      done++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return { rate: done / ((performance.now() - began) / 1000), done }
}
