import { EventEmitter } from 'node:events'
import { isTracing, outsideSpans } from '../tracing/spans.ts'

// A topic names something whose news others wait for: a Brain, an organization, a run. Publishing it after a commit is a
// hint that there is something to read. A reader subscribes first, then reads, and polls at intervals, so a lost hint only
// costs time.

/** A kind and an id. `brain:` alone matches every topic of its kind. */
export type Topic = `${string}:${string}`

export const brainTopic = (brainId: number): Topic => `brain:${brainId}`
export const organizationTopic = (organizationId: string): Topic => `organization:${organizationId}`
/** A webhook of an organization, which has deliveries. */
export const webhookTopic = (id: string): Topic => `webhook:${id}`
/** A run, whose stream, state or tasks have news. */
export const runTopic = (id: string): Topic => `run:${id}`
/** The end of a run, for the worker of the run and callers that wait for it. */
export const runEndTopic = (id: string): Topic => `run-end:${id}`
/** An organization with runs that are due. */
export const runsTopic = (organizationId: string): Topic => `runs:${organizationId}`
/** An organization with distillations that are due. */
export const distillationsTopic = (organizationId: string): Topic => `distillations:${organizationId}`
/** An organization with runs of evals that are due. */
export const evalsTopic = (organizationId: string): Topic => `evals:${organizationId}`
/** An organization with runs of its own code that are due. */
export const flowsTopic = (organizationId: string): Topic => `flows:${organizationId}`
/** An organization with goals that are due. */
export const goalsTopic = (organizationId: string): Topic => `goals:${organizationId}`

/** Carries topics to other nodes and back. */
export type TopicChannel = {
  send(topics: readonly Topic[]): Promise<void>
  /** Listens until it is closed. */
  listen(receive: (topic: Topic) => void): void
  close(): Promise<void>
}

export type Topics = {
  /** Notifies subscribers of this node at once, and those of others soon. */
  publish(...topics: Topic[]): void
  /** Calls back with the id whenever the topic is published, or any of its kind, until the returned function is called. */
  subscribe(topic: Topic, listener: (id: string) => void): () => void
  close(): Promise<void>
}

/**
 * The least time between two messages. Topics are collected meanwhile: a message per commit would halve the writes. The first
 * after a pause is sent at once.
 */
const gatherMilliseconds = 20

/** Opens the topics of a node over a channel to the others. */
export const createTopics = (channel: TopicChannel): Topics => {
  const emitter = new EventEmitter().setMaxListeners(0)
  const gathered = new Set<Topic>()
  let timer: NodeJS.Timeout | undefined
  let nextAt = 0
  /** The message under way. The next one waits for it, so that a slow database gets few large ones. */
  let sending: Promise<void> | undefined
  const emit = (topic: Topic) => {
    const idAt = topic.indexOf(':') + 1
    const id = topic.slice(idAt)
    emitter.emit(topic, id)
    emitter.emit(topic.slice(0, idAt), id)
  }
  const schedule = () => {
    if (sending || gathered.size === 0) return
    timer ??= setTimeout(send, Math.max(0, nextAt - performance.now()))
  }
  const send = () => {
    timer = undefined
    nextAt = performance.now() + gatherMilliseconds
    const topics = [...gathered]
    gathered.clear()
    sending = channel.send(topics).finally(() => {
      sending = undefined
      schedule()
    })
  }
  const publish = (topics: readonly Topic[]) => {
    for (const topic of topics) {
      emit(topic)
      gathered.add(topic)
    }
    schedule()
  }
  channel.listen(emit)
  return {
    // Work of subscribers does not belong to the publisher's span.
    publish: (...topics) => (isTracing ? outsideSpans(() => publish(topics)) : publish(topics)),
    subscribe: (topic, listener) => {
      emitter.on(topic, listener)
      return () => emitter.off(topic, listener)
    },
    close: async () => {
      while (sending || gathered.size > 0) {
        clearTimeout(timer)
        if (!sending) send()
        await sending
      }
      await channel.close()
    },
  }
}

/**
 * Starts to wait for a topic, before the caller reads. `published` resolves at the next publication, at the time of the
 * next poll, or at the end, whichever comes first.
 */
export const awaitTopic = (
  topics: Pick<Topics, 'subscribe'>,
  topic: Topic,
  { pollMilliseconds, signal }: { pollMilliseconds: number; signal: AbortSignal },
): { published: Promise<void>; stop(): void } => {
  const { promise: published, resolve } = Promise.withResolvers<void>()
  const done = () => resolve()
  const unsubscribe = topics.subscribe(topic, done)
  const timer = setTimeout(done, pollMilliseconds)
  signal.addEventListener('abort', done, { once: true })
  return {
    published,
    stop: () => {
      unsubscribe()
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
    },
  }
}
