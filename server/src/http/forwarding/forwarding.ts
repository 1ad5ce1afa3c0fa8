import { createHash } from 'node:crypto'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import type { AppDeps } from '../../api/app-deps.ts'
import type { Binding } from '../../api/binding.ts'
import { findNodeAddresses } from '../../features/oversight/service-health/service-health.ts'
import { createFairLimiter, type ShareLimits } from '../../shared/concurrency/fair-limiter.ts'
import { MovesToWorker, unavailable } from '../../shared/errors.ts'
import { parseHostPort, toHostPort } from '../../shared/network/host-port.ts'
import { toSentError } from '../../shared/threads/thread-rpc.ts'
import { overloaded } from '../admission/gate.ts'
import { toCall } from '../large-requests/large-requests.ts'
import type { LargeAnswer, LargeCall } from '../large-requests/messages.ts'
import { serveLargeRequests } from '../large-requests/serve-large-requests.ts'
import { toForwardable } from './forwardable.ts'
import { openListener } from './listener.ts'
import { nodeTls } from './node-tls.ts'
import { connectPeer, type Peer, type PeerAnswer, PeerLost } from './peer.ts'

// Writes to a Brain share commits if one node makes them. So each node sends the writes that it receives to the node of their Brain, by a
// hash over the nodes that it reaches. Any node may still write to any Brain: if two nodes disagree about who does, they take turns.

const everySeconds = 2

const outcomeUnknown = () =>
  unavailable(
    'The node that writes to this Brain stopped before it answered. The write may have been made. Read the Brain, or repeat a request that has an Idempotency-Key.',
    { retryAfterSeconds: 1 },
  )

const hash = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE()

/** A number for a Brain and a node: the node with the highest one has the Brain. */
const weigh = (brainId: number, node: number): number => {
  let mixed = Math.imul(brainId ^ node, 0x9e3779b1)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

type Member = { weight: number; peer: Peer }

/** The nodes that this one reaches. */
const createMembers = (own: string, connect: (address: string) => Peer) => {
  const members = new Map<string, Member>()
  const ownWeight = hash(own)
  return {
    update: (addresses: readonly string[]): void => {
      for (const [address, { peer }] of members) {
        if (addresses.includes(address)) continue
        members.delete(address)
        void peer.close()
      }
      for (const address of addresses)
        if (address !== own && !members.has(address))
          members.set(address, { weight: hash(address), peer: connect(address) })
    },
    /** The other node that has a Brain; undefined if this one has it. */
    find: (brainId: number): Peer | undefined => {
      let found: Peer | undefined
      let most = weigh(brainId, ownWeight)
      for (const { weight, peer } of members.values()) {
        const weighed = weigh(brainId, weight)
        if (weighed <= most || !peer.isReady()) continue
        most = weighed
        found = peer
      }
      return found
    },
    countReached: (): Reached => {
      const reached = [...members.values()].filter(({ peer }) => peer.isReady()).length
      return { reached, unreached: members.size - reached }
    },
    close: async (): Promise<void> => {
      for (const { peer } of members.values()) await peer.close()
    },
  }
}

/** Answers calls of other nodes, as many at once as requests of this node's own. */
const createAnswering = (deps: AppDeps, bindings: readonly Binding[], { limits, maxMilliseconds }: Limits) => {
  const limiter = createFairLimiter(limits)
  const serve = serveLargeRequests({ ...deps, commitEngine: deps.commitEngine.movable() }, bindings, () => undefined)
  return async (call: LargeCall): Promise<PeerAnswer> => {
    const { subject } = call.request
    const release = limiter.take(subject) ?? (await limiter.wait(subject, { maxMilliseconds }))
    if (!release) return { ignoredFields: undefined, refusal: toSentError(overloaded()) }
    try {
      return (await serve(call)).value as LargeAnswer
    } catch (error) {
      if (error instanceof MovesToWorker) return { turnedLarge: true }
      throw error
    } finally {
      release()
    }
  }
}

type Limits = { limits: ShareLimits; maxMilliseconds: number }

/** The other nodes that get writes of this one, and those that get none because they are not connected, hang or leave. */
type Reached = { reached: number; unreached: number }

export type Forwarding = {
  /** The address of this node for others. */
  address: string
  /** Has the node of the Brain answer a request; undefined if this node is to answer it. Throws if the outcome is unknown. */
  forward(endpoint: Endpoint, request: FastifyRequest, isStrict: boolean): Promise<LargeAnswer | undefined>
  countReached(): Reached
  /** Finds the other nodes. */
  worker: { name: string; everySeconds: number; run(): Promise<void> }
  close(): Promise<void>
}

const emptyBody = Buffer.alloc(0)

/** Opens the connections between this node and the others. */
export const openForwarding = async (
  deps: AppDeps,
  bindings: readonly Binding[],
  { own, secret, ...limits }: Limits & { own: string; secret: string },
): Promise<Forwarding> => {
  const { log, measures, db, clock } = deps
  const tls = nodeTls(secret)
  const place = parseHostPort(own)
  const listener = await openListener(place, { answer: createAnswering(deps, bindings, limits), tls, log })
  const address = toHostPort({ ...place, port: listener.port })
  const members = createMembers(address, (other) => connectPeer(parseHostPort(other), { tls, log }))
  const report = (outcome: string) => measures.report('noema_forwarded_requests_total', 1, { outcome })
  const ask = async (peer: Peer, call: LargeCall, isRepeatable: boolean): Promise<LargeAnswer | undefined> => {
    try {
      const answer = await peer.ask(call, isRepeatable)
      report('answered')
      return 'turnedLarge' in answer ? undefined : answer
    } catch (error) {
      if (!(error instanceof PeerLost)) throw error
      report(isRepeatable ? 'repeated' : 'lost')
      if (!isRepeatable) throw outcomeUnknown()
      return undefined
    }
  }
  return {
    address,
    forward: async (endpoint, request, isStrict) => {
      const { principal, body = emptyBody } = request
      const brainId = 'brain' in principal ? principal.brain?.brainId : undefined
      const peer = brainId === undefined || !Buffer.isBuffer(body) ? undefined : members.find(brainId)
      if (!peer) return undefined
      const sent = toForwardable(endpoint, request.headers, body as Buffer)
      if (!sent) return undefined
      const { headers, isRepeatable } = sent
      const call = toCall(endpoint, request, isStrict, clock)
      return ask(peer, { ...call, request: { ...call.request, headers }, body: body as Buffer }, isRepeatable)
    },
    countReached: members.countReached,
    worker: {
      name: 'find other nodes',
      everySeconds,
      run: async () => members.update(await findNodeAddresses({ db, clock })),
    },
    close: async () => {
      await listener.close()
      await members.close()
    },
  }
}
