import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

// A proxy in front of several nodes, like those of clusters: it polls each node for readiness, sends requests to ready
// nodes in turn, and keeps its connections. It repeats no request that a node may have started.

const pollMilliseconds = 50

type Node = { base: URL; agent: Agent; isReady: boolean; isGone: boolean }

const isNodeReady = ({ base, agent }: Node): Promise<boolean> =>
  new Promise((resolve) => {
    request(new URL('/readyz', base), { agent })
      .once('response', (response) => {
        response.resume().once('end', () => resolve(response.statusCode === 200))
      })
      .once('error', () => resolve(false))
      .end()
  })

const watch = async (node: Node): Promise<void> => {
  while (!node.isGone) {
    node.isReady = await isNodeReady(node)
    await delay(pollMilliseconds)
  }
}

/** Checks that a request cannot have reached the node, so that another one may get it. */
const isUnsent = (error: Error): boolean => 'code' in error && error.code === 'ECONNREFUSED'

const passOn = (
  node: Node,
  { incoming, body, gone }: { incoming: IncomingMessage; body: Buffer; gone: AbortSignal },
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { method, url = '', headers } = incoming
    const outgoing = request(new URL(url, node.base), { method, agent: node.agent, headers, signal: gone })
    outgoing.once('response', resolve).once('error', reject).end(body)
  })

const sendBack = (response: IncomingMessage, answer: ServerResponse): void => {
  const { connection: _hop, ...headers } = response.headers
  answer.writeHead(response.statusCode ?? 502, headers)
  response.pipe(answer)
  response.once('error', () => answer.destroy())
}

/** Starts one. A request without an answer gets 502 with the reason. */
export const startBalancer = async () => {
  const nodes: Node[] = []
  let turn = 0
  const findNode = (): Node | undefined => {
    const ready = nodes.filter(({ isReady }) => isReady)
    turn++
    return ready[turn % ready.length]
  }
  const answerBy = async (call: Parameters<typeof passOn>[1]): Promise<IncomingMessage> => {
    for (;;) {
      const node = findNode()
      if (!node) throw new Error('no node is ready')
      try {
        return await passOn(node, call)
      } catch (error) {
        if (!(error instanceof Error) || !isUnsent(error)) throw error
        node.isReady = false
      }
    }
  }
  const server = createServer(async (incoming, answer) => {
    const gone = new AbortController()
    answer.once('close', () => gone.abort())
    try {
      const body = Buffer.concat(await incoming.toArray())
      sendBack(await answerBy({ incoming, body, gone: gone.signal }), answer)
    } catch (error) {
      answer.writeHead(502).end(String(error))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Sends requests to a node, too; resolves when it was found ready. */
    add: async (base: string): Promise<void> => {
      const node: Node = { base: new URL(base), agent: new Agent({ keepAlive: true }), isReady: false, isGone: false }
      nodes.push(node)
      void watch(node)
      while (!node.isReady) await delay(pollMilliseconds)
    },
    remove: (base: string): void => {
      const [node] = nodes.splice(
        nodes.findIndex((one) => one.base.origin === base),
        1,
      )
      if (node) node.isGone = true
      node?.agent.destroy()
    },
    close: (): void => {
      for (const node of nodes) {
        node.isGone = true
        node.agent.destroy()
      }
      server.close()
      server.closeAllConnections()
    },
  }
}
