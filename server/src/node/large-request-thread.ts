import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { bindings } from '../api/bindings.ts'
import type { LargeCall, ReadJob, WorkerData } from '../http/large-requests/messages.ts'
import { createFollowingClock, createReadJob, serveLargeRequests } from '../http/large-requests/serve-large-requests.ts'
import { createLifecycle } from '../lifecycle.ts'
import { mcpBindings } from '../mcp/server.ts'
import { openAiBindings } from '../openai/server.ts'
import { createTopics, type TopicChannel } from '../shared/concurrency/topics.ts'
import { createLog } from '../shared/log.ts'
import { createMeasures } from '../shared/measures.ts'
import { lowerThreadPriority } from '../shared/threads/thread-priority.ts'
import { openRpc, type Rpc } from '../shared/threads/thread-rpc.ts'
import { noBrainServers } from '../storage/brain-servers.ts'
import { openDatabase } from '../storage/database.ts'
import { noReplicas } from '../storage/replicas.ts'
import { openDeps } from './open-deps.ts'

// The worker thread for large requests: a node without a listener and without background work.

const allBindings = [...bindings, ...mcpBindings, ...openAiBindings]

const openParts = async ({ config, address, secret, isDivided }: WorkerData, rpc: Rpc) => {
  const log = createLog(config.logLevel, { write: (line) => rpc.notify('log', line) })
  const lifecycle = createLifecycle(log)
  const { largeRequestPool, statementSeconds, preparesStatements } = config
  const database = openDatabase(config.poolerUrl ?? address, log, largeRequestPool, {
    ...{ statementSeconds, preparesStatements, isPooled: config.poolerUrl !== undefined },
    name: 'noema large requests',
    clusterRole: isDivided ? 'coordinator' : undefined,
  })
  lifecycle.open('database', database, ({ close }) => close())
  const clock = createFollowingClock()
  const channel: TopicChannel = {
    send: async (topics) => rpc.notify('publish', topics),
    listen: () => undefined,
    close: async () => undefined,
  }
  const topics = lifecycle.open('topics', createTopics(channel), ({ close }) => close())
  const measures = createMeasures()
  measures.listen((...measured) => rpc.notify('measure', measured))
  const deps = await openDeps(
    { config, address, secret, log, measures },
    {
      database,
      keyedDb: database.db,
      isDivided,
      replicas: noReplicas,
      brainServers: noBrainServers(database),
      clock,
      topics,
    },
    lifecycle,
  )
  return {
    serve: serveLargeRequests({ ...deps, extractor: undefined }, allBindings, clock.set),
    close: lifecycle.close,
  }
}

const openThread = (data: WorkerData, port: MessagePort): void => {
  const read = createReadJob(allBindings)
  const rpc = openRpc(port, {
    call: async (call: LargeCall) => (await opening).serve(call),
    read: (job: ReadJob) => read(job),
    close: async () => ({ value: await (await opening).close() }),
  })
  const opening = openParts(data, rpc)
}

lowerThreadPriority('large requests')
if (parentPort) openThread(workerData as WorkerData, parentPort)
