import OpenAI from 'openai'
import { beforeAll } from 'vitest'
import { useRuns } from '../agent-runtime/use-runs.fixture.ts'

/** Two agents, one that quotes its Brain and one whose model follows a script, and the official client of OpenAI. */
export const useOpenAi = () => {
  // So few streams that a call which kept its slot would stop the others.
  const runs = useRuns({ NOEMA_MAX_STREAMS: '10/2/2' })
  const connect = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${runs.app.base}/v1`, maxRetries: 0 })
  type Agent = { id: string; name: string }
  const scene = {} as { openai: OpenAI; quoting: Agent; talking: Agent }
  beforeAll(async () => {
    scene.openai = connect(runs.scene.member.key)
    const text = 'The warehouse in Lyon opens at six in the morning. Its manager is Ada Martin.'
    await runs.scene.brain.call('POST', '/documents', { id: 'lyon hours', title: 'Lyon', text })
    const brains = [{ handle: 'brain', access: 'read_only' }]
    scene.quoting = await runs.createAgent({ name: 'Warehouse Guide', model: 'noema/extractive', brains })
    scene.talking = await runs.createAgent({ name: 'Talker' })
  })
  return {
    runs,
    connect,
    clients: scene,
    says: (...script: Parameters<typeof runs.scripted.models.says>) => runs.scripted.models.says(...script),
    lastSent: () => runs.scripted.models.requests.at(-1)?.body.messages as { role: string; content: string }[],
    newestRun: async () => (await runs.call('GET', '/v1/runs?order=desc&limit=1')).body.data.runs[0],
  }
}

/** The error of a call that must be refused. */
export const refused = async (call: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof OpenAI.APIError) return error
  throw new Error(`It was not refused: ${String(error)}`)
}
