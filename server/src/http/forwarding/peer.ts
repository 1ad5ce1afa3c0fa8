import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import type { Log } from '../../shared/log.ts'
import type { HostPort } from '../../shared/network/host-port.ts'
import { type MessageSocket, openMessages } from '../../shared/network/message-socket.ts'
import type { LargeAnswer, LargeCall } from '../large-requests/messages.ts'
import { type FromNode, maxMessageBytes, type ToNode, type TurnedLarge } from './messages.ts'
import type { nodeTls } from './node-tls.ts'

// The connection of this node to another one, to which it sends calls.

const reconnectMilliseconds = 1_000
const handshakeMilliseconds = 5_000
/** A node that reads acknowledges a message within fifty milliseconds. After two checks without a word it counts as silent, and gets no more calls. */
const checkMilliseconds = 125
const checksOfSilent = 2
/** After so many checks a node that owes no word is asked whether it reads, so one that hangs is known before a request is sent to it. */
const checksOfProbe = 8
/** The connection to a node that is silent for so many checks is closed: the machine may be gone. */
const checksOfDead = 120
/** A node that reads so slowly gets no more calls. */
const maxWaitingBytes = 4 * 1024 * 1024

/** The node did not answer. It may have done what it was asked, or may do it yet. */
export class PeerLost extends Error {}

export type PeerAnswer = LargeAnswer | TurnedLarge

type Waiting = {
  resolve(answer: PeerAnswer): void
  reject(error: Error): void
  /** True if the call may be made again elsewhere while the node is silent. */
  isRepeatable: boolean
}

export type Peer = {
  /** True if calls may be sent: it is connected, stays, and reads. */
  isReady(): boolean
  /** Sends a call. Throws `PeerLost` if no answer comes. */
  ask(call: LargeCall, isRepeatable: boolean): Promise<PeerAnswer>
  close(): Promise<void>
}

/** One connection, from its handshake to its end. */
const openLink = (socket: TLSSocket, onEnd: () => void) => {
  const waiting = new Map<number, Waiting>()
  let isLeaving = false
  let last = 0
  /** True if something was sent since the node was last heard. */
  let isUnheard = false
  /** The checks in a row that heard nothing. This node's own delay passes before the second one: what arrived is read in between. */
  let silentChecks = 0
  let checks = 0
  const send = (message: ToNode) => {
    isUnheard = true
    messages.send(message)
  }
  const reject = (which: (call: Waiting) => boolean) => {
    for (const [id, call] of waiting) {
      if (!which(call)) continue
      waiting.delete(id)
      call.reject(new PeerLost('the node did not answer'))
    }
  }
  const watch = setInterval(() => {
    silentChecks = isUnheard ? silentChecks + 1 : 0
    if (silentChecks >= checksOfSilent) reject(({ isRepeatable }) => isRepeatable)
    if (silentChecks >= checksOfDead) socket.destroy()
    if (++checks % checksOfProbe === 0 && !isUnheard) send({ isProbe: true })
  }, checkMilliseconds).unref()
  const receive = (message: FromNode): void => {
    if ('isLeaving' in message) {
      isLeaving = true
      messages.send({ isLast: true } satisfies ToNode)
      return
    }
    waiting.get(message.id)?.resolve(message.answer)
    waiting.delete(message.id)
  }
  const heard = () => {
    isUnheard = false
    silentChecks = 0
  }
  const messages: MessageSocket = openMessages(socket, { maxBytes: maxMessageBytes, receive, heard })
  socket.once('close', () => {
    clearInterval(watch)
    reject(() => true)
    onEnd()
  })
  return {
    isReady: () => !isLeaving && silentChecks < checksOfSilent && messages.waitingBytes() < maxWaitingBytes,
    ask: (call: LargeCall, isRepeatable: boolean) =>
      new Promise<PeerAnswer>((resolve, rejectCall) => {
        const id = ++last
        waiting.set(id, { resolve, reject: rejectCall, isRepeatable })
        send({ id, call })
      }),
  }
}

type Link = ReturnType<typeof openLink>
type NodeTls = ReturnType<typeof nodeTls>

const openSocket = (place: HostPort, tls: NodeTls): TLSSocket => {
  const socket = connect({ ...place, ...tls.client, timeout: handshakeMilliseconds })
  socket.once('timeout', () => socket.destroy(new Error('It does not answer.')))
  return socket
}

/** Connects to another node once. `isHeard`: something answered there and is no node with this secret. */
export const tryPeer = async (
  place: HostPort,
  tls: NodeTls,
): Promise<{ error: unknown; isHeard: boolean } | undefined> => {
  const socket = openSocket(place, tls)
  let isHeard = false
  socket.once('connect', () => {
    isHeard = true
  })
  socket.once('timeout', () => {
    isHeard = false
  })
  try {
    await once(socket, 'secureConnect')
    return undefined
  } catch (error) {
    return { error, isHeard }
  } finally {
    socket.destroy()
  }
}

/** Connects to another node, again and again until it is closed. */
export const connectPeer = (place: HostPort, { tls, log }: { tls: NodeTls; log: Log }): Peer => {
  let link: Link | undefined
  let socket: TLSSocket | undefined
  let again: NodeJS.Timeout | undefined
  let isClosed = false
  const open = (): void => {
    const opening = openSocket(place, tls)
    socket = opening
    opening.on('error', (error) =>
      log.debug({ ...place, error: error.message }, 'a connection to another node was lost'),
    )
    opening.once('secureConnect', () => {
      opening.setTimeout(0)
      opening.setNoDelay(true)
      opening.setKeepAlive(true, checksOfDead * checkMilliseconds)
      link = openLink(opening, () => {
        link = undefined
      })
    })
    opening.once('close', () => {
      if (!isClosed) again = setTimeout(open, reconnectMilliseconds).unref()
    })
  }
  open()
  return {
    isReady: () => link?.isReady() ?? false,
    ask: async (call, isRepeatable) => {
      if (!link) throw new PeerLost('the node is not connected')
      return link.ask(call, isRepeatable)
    },
    close: async () => {
      isClosed = true
      clearTimeout(again)
      socket?.destroy()
    },
  }
}
