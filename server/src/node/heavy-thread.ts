import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { bindings } from '../api/bindings.ts'
import type { HeavyCall, HeavyThreadData } from '../http/large-requests/heavy-messages.ts'
import { createToldClock, serveHeavyCalls } from '../http/large-requests/serve-heavy-calls.ts'
import { createLifecycle } from '../lifecycle.ts'
import { mcpBindings } from '../mcp/server.ts'
import { createTopics, type TopicChannel } from '../shared/concurrency/topics.ts'
import { createLog } from '../shared/log.ts'
import { createMeasures } from '../shared/measures.ts'
import { lowerThreadPriority } from '../shared/threads/thread-priority.ts'
import { openRpc, type Rpc } from '../shared/threads/thread-rpc.ts'
import { openDatabase } from '../storage/database.ts'
import { noReplicas } from '../storage/replicas.ts'
import { openDeps } from './open-deps.ts'

// The thread that answers large requests: a node without its HTTP server and background workers.

const openParts = async ({ config, address, secret }: HeavyThreadData, rpc: Rpc) => {
  const log = createLog(config.logLevel, { write: (line) => rpc.tell('log', line) })
  const lifecycle = createLifecycle(log)
  const { heavyDatabasePool, statementSeconds, preparesStatements } = config
  const database = openDatabase(config.poolerUrl ?? address, log, heavyDatabasePool, {
    ...{ statementSeconds, preparesStatements, isPooled: config.poolerUrl !== undefined },
    name: 'noema large requests',
  })
  lifecycle.open('database', database, ({ close }) => close())
  const clock = createToldClock()
  const channel: TopicChannel = {
    send: async (topics) => rpc.tell('publish', topics),
    listen: () => undefined,
    close: async () => undefined,
  }
  const topics = lifecycle.open('topics', createTopics(channel), ({ close }) => close())
  const measures = createMeasures()
  measures.listen((...told) => rpc.tell('measure', told))
  const deps = await openDeps(
    { config, address, secret, log, measures },
    { database, keyedDb: database.db, replicas: noReplicas, clock, topics },
    lifecycle,
  )
  return { serve: serveHeavyCalls(deps, [...bindings, ...mcpBindings], clock.set), close: lifecycle.close }
}

const openThread = (data: HeavyThreadData, port: MessagePort): void => {
  const rpc = openRpc(port, {
    call: async (call: HeavyCall) => (await opening).serve(call),
    close: async () => ({ value: await (await opening).close() }),
  })
  const opening = openParts(data, rpc)
}

lowerThreadPriority('large requests')
if (parentPort) openThread(workerData as HeavyThreadData, parentPort)
