import type { api } from '@noema/contracts/api.ts'
import type { BodyInput, Endpoint } from '@noema/contracts/endpoint.ts'
import type { Step, startFlow } from '@noema/contracts/flows.ts'
import type { Run } from '@noema/contracts/runs.ts'
import { NoemaError, NotFoundError } from './errors.ts'
import type { Timing } from './timing.ts'
import type { Methods } from './types.ts'

type Json = Step['output']

/** A step failed for good: it was stored as failed, and each later start gets the same error. Throw it to store a failure. */
export class StepFailed extends NoemaError {
  override name = 'StepFailed'
}

/** The name of a flow, and a key that the same work always has. */
export type FlowStart = BodyInput<typeof startFlow> & { key: string }

/** When a step ends that sleeps: a time, or so many seconds from its first start. */
export type Wake = Date | { seconds: number }

type WaitOptions = { signal?: AbortSignal | undefined }

/**
 * A run of your own code. Each step is done once: code that is started again gets the stored results of the steps that it has done, and
 * goes on behind them. Keys are unique in a run. If two processes do a step at once, both get the result that was stored first.
 */
export type Flow = {
  /** The run as it was when the flow was opened. */
  readonly run: Run
  /**
   * Calls the function and stores what it returns, as JSON; or returns what is stored already. A function that throws stores nothing
   * and is called again by the next start, unless it throws `StepFailed`.
   */
  step<Value>(key: string, fn: () => Value | Promise<Value>, options?: { input?: Json } | undefined): Promise<Value>
  /** Asks a person and waits, however long it takes; undefined if no one answered within `expiresInSeconds`. */
  ask(
    key: string,
    question: string,
    options?: ({ options?: string[]; expiresInSeconds?: number } & WaitOptions) | undefined,
  ): Promise<string | undefined>
  /** Waits until a time, at most a year, also if this process is started again meanwhile. */
  sleep(key: string, until: Wake, options?: WaitOptions | undefined): Promise<void>
  /** Completes the run with an output; a repeat returns the ended run. */
  finish(output?: Json): Promise<Run>
  /** Ends the run as failed. */
  fail(reason: string): Promise<Run>
}

/** Opens a flow by the id of its run, or starts the run of a name and key, which is the same run each time. */
export type OpenFlow = (given: string | FlowStart) => Promise<Flow>

const firstWait = 500
const maxWait = 15_000

type Clients = {
  flows: Pick<Methods<(typeof api)['flows']>, 'start' | 'step' | 'putStep' | 'finish'>
  runs: Pick<Methods<(typeof api)['runs']>, 'get'>
}

type Put = BodyInput<Extract<(typeof api)['flows']['putStep'], Endpoint>>

/** The output of a step that has ended. */
const readOutput = ({ key, state, output, error }: Step): unknown => {
  if (state === 'succeeded') return output
  throw new StepFailed(error ?? `The step ${key} is ${state}.`)
}

const createSteps = ({ flows }: Clients, runId: string, timing: Timing) => {
  const find = async (key: string, signal?: AbortSignal): Promise<Step | undefined> => {
    try {
      return (await flows.step(runId, key, { signal })).step
    } catch (error) {
      if (error instanceof NotFoundError) return undefined
      throw error
    }
  }
  const store = async (key: string, body: Put): Promise<Step> => (await flows.putStep(runId, key, body)).step
  return {
    find,
    store,
    /** Waits until a step has ended, looking at it less and less often. */
    settle: async (first: Step, until: number | undefined, signal?: AbortSignal): Promise<unknown> => {
      let step: Step | undefined = first
      for (let wait = firstWait; step?.state === 'running'; wait = Math.min(maxWait, wait * 1.5)) {
        const left = until === undefined ? wait : Math.max(wait, until - timing.now())
        await timing.sleep(Math.min(left, maxWait), signal)
        step = await find(first.key, signal)
      }
      if (!step) throw new NoemaError(`The step ${first.key} is gone.`)
      return readOutput(step)
    },
  }
}

const toTime = (until: Wake, timing: Timing): Date =>
  until instanceof Date ? until : new Date(timing.now() + until.seconds * 1_000)

const open = (clients: Clients, run: Run, timing: Timing): Flow => {
  const { runId } = run
  const { find, store, settle } = createSteps(clients, runId, timing)
  return {
    run,
    step: async <Value>(key: string, fn: () => Value | Promise<Value>, { input }: { input?: Json } = {}) => {
      const stored = await find(key)
      if (stored) return readOutput(stored) as Value
      const startedAt = new Date(timing.now()).toISOString()
      const given = { startedAt, ...(input === undefined ? {} : { input }) }
      try {
        const output = ((await fn()) ?? null) as Json
        return readOutput(await store(key, { ...given, output })) as Value
      } catch (error) {
        if (!(error instanceof StepFailed)) throw error
        return readOutput(await store(key, { ...given, error: error.message })) as Value
      }
    },
    ask: async (key, question, { signal, ...asked } = {}) => {
      const step = (await find(key, signal)) ?? (await store(key, { ask: { question, ...asked } }))
      return ((await settle(step, undefined, signal)) as { answer?: string } | null)?.answer
    },
    sleep: async (key, until, { signal } = {}) => {
      const time = toTime(until, timing)
      const step = (await find(key, signal)) ?? (await store(key, { sleepUntil: time.toISOString() }))
      const stored = (step.input as { until?: string } | undefined)?.until
      await settle(step, stored === undefined ? undefined : Date.parse(stored), signal)
    },
    finish: async (output) => (await clients.flows.finish(runId, output === undefined ? {} : { output })).run,
    fail: async (reason) => (await clients.flows.finish(runId, { error: reason })).run,
  }
}

/** Creates a client's `flow` from its methods. */
export const createFlows =
  (clients: Clients, timing: Timing): OpenFlow =>
  async (given) => {
    if (typeof given === 'string') return open(clients, (await clients.runs.get(given)).run, timing)
    const { key, ...body } = given
    return open(clients, (await clients.flows.start(body, { idempotencyKey: key })).run, timing)
  }
