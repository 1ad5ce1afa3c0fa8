import type { MessagePort, Worker } from 'node:worker_threads'
import { ApiError, type ErrorExtras } from '../errors.ts'

// Calls between two threads, in both directions. An API error crosses unchanged, any other error as its text.

/** An error on its way between threads. */
export type SentError = {
  kind: ApiError['kind'] | undefined
  message: string
  stack: string | undefined
  extras: ErrorExtras
}
type Message =
  | { ask: number; name: string; value: unknown }
  | { answer: number; value: unknown }
  | { answer: number; error: SentError }
  | { notify: string; value: unknown }

/** A value, and what of it is moved to the other thread instead of copied. */
export type Moved = { value: unknown; transfer?: readonly ArrayBuffer[] }

/** The functions of this end by name. Messages come from the other end, which is also part of this service. */
export type Handlers = Readonly<Record<string, (value: never) => Promise<Moved> | Moved>>

export type Rpc = {
  ask<Answer>(name: string, value: unknown, transfer?: readonly ArrayBuffer[]): Promise<Answer>
  /** Sends a message that has no answer. */
  notify(name: string, value: unknown): void
  /** Fails all pending calls: the other end is gone. */
  fail(error: Error): void
}

export const toSentError = (error: unknown): SentError => {
  if (error instanceof ApiError) {
    const { kind, message, stack, code, details, retryAfterSeconds, at } = error
    const extras = { ...(code && { code }), ...(details && { details }), ...(at && { at }) }
    return { kind, message, stack, extras: retryAfterSeconds === undefined ? extras : { ...extras, retryAfterSeconds } }
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { kind: undefined, message, stack, extras: {} }
}

export const fromSentError = ({ kind, message, stack, extras }: SentError): Error => {
  const error = kind === undefined ? new Error(message) : new ApiError(kind, message, extras)
  if (stack !== undefined) error.stack = stack
  return error
}

type Asked = { resolve(value: unknown): void; reject(error: Error): void }

/** Opens one end. Its handlers may run several calls at once. */
export const openRpc = (port: Worker | MessagePort, handlers: Handlers): Rpc => {
  const asked = new Map<number, Asked>()
  let last = 0
  const send = (message: Message, transfer: readonly ArrayBuffer[] = []) => port.postMessage(message, [...transfer])
  const handle = async (name: string, value: unknown): Promise<Moved> => {
    const handler = handlers[name]
    if (!handler) throw new Error(`a thread was asked for ${name}, which it does not do`)
    return handler(value as never)
  }
  const answer = async (ask: number, name: string, value: unknown): Promise<void> => {
    try {
      const { value: answered, transfer } = await handle(name, value)
      send({ answer: ask, value: answered }, transfer)
    } catch (error) {
      send({ answer: ask, error: toSentError(error) })
    }
  }
  const receive = (message: Message): void => {
    if ('ask' in message) return void answer(message.ask, message.name, message.value)
    if ('notify' in message) return void handle(message.notify, message.value)
    const waiting = asked.get(message.answer)
    asked.delete(message.answer)
    if ('error' in message) waiting?.reject(fromSentError(message.error))
    else waiting?.resolve(message.value)
  }
  // Both types have the same events for messages, but TypeScript does not accept a call on their union.
  ;(port as Worker).on('message', receive)
  return {
    ask: <Answer>(name: string, value: unknown, transfer: readonly ArrayBuffer[] = []) =>
      new Promise<Answer>((resolve, reject) => {
        const ask = ++last
        asked.set(ask, { resolve: (answered) => resolve(answered as Answer), reject })
        send({ ask, name, value }, transfer)
      }),
    notify: (name, value) => send({ notify: name, value }),
    fail: (error) => {
      for (const { reject } of asked.values()) reject(error)
      asked.clear()
    },
  }
}
