import type { Client } from '@noema/sdk'
import { ApiError } from '@noema/sdk/errors.ts'
import type { Settings } from '../client-files.ts'
import { captureTurn, type Turn, type WaitingDocument } from './capture.ts'
import { boundSpool, dropOldSessions, listWaiting, readWaiting, removeWaiting, whileLocked } from './spool.ts'

// Works on what waits: it captures turns and sends documents, in order, each once. The rest waits for the next hook.

type Brain = ReturnType<Client['brain']>

/** A refusal that will not change by itself: the document is dropped, or it would hold up all others. */
const isFinal = (error: unknown): boolean =>
  error instanceof ApiError && ['validation', 'conflict'].includes(error.kind) && error.code !== 'brain_held'

const sendDocument = async (brain: Brain, { document }: WaitingDocument, signal: AbortSignal): Promise<void> => {
  try {
    await brain.documents.put(document as Parameters<Brain['documents']['put']>[0], {
      idempotencyKey: document.id,
      signal,
    })
  } catch (error) {
    if (!isFinal(error)) throw error
  }
}

const isTurn = (content: Settings): content is Settings & Turn =>
  content.kind === 'turn' && typeof content.session === 'string' && Array.isArray(content.said)

const isDocument = (content: Settings): content is Settings & WaitingDocument =>
  content.kind === 'document' && typeof (content.document as Settings | undefined)?.id === 'string'

const unreadable = ['EACCES', 'EPERM', 'EISDIR', 'ENOENT', 'ENOTDIR']

/** A transcript that cannot be read will not be readable later. */
const ignoreUnreadable = (error: NodeJS.ErrnoException): void => {
  if (!unreadable.includes(error.code ?? '')) throw error
}

type Flush = { spool: string; brain: Brain; signal: AbortSignal }

const workOn = async ({ spool, brain, signal }: Flush, name: string, touch: () => Promise<void>): Promise<void> => {
  const content = await readWaiting(spool, name)
  if (content && isTurn(content)) await captureTurn(spool, content, touch).catch(ignoreUnreadable)
  else if (content && isDocument(content)) await sendDocument(brain, content, signal)
  // A broken file is dropped, too: it would hold up all others.
  await removeWaiting(spool, name)
}

/** Captures all turns, then sends what waits. Without the service the documents stay, and no turn does. */
const work = async (flush: Flush, touch: () => Promise<void>): Promise<void> => {
  const { spool, signal } = flush
  await boundSpool(spool)
  await dropOldSessions(spool)
  let failure: { error: unknown } | undefined
  for (let names = await listWaiting(spool); names.length > 0 && !signal.aborted; names = await listWaiting(spool)) {
    for (const name of names) {
      const isHeld = failure !== undefined && (await readWaiting(spool, name))?.kind === 'document'
      if (signal.aborted || isHeld) continue
      await touch()
      await workOn(flush, name, touch).catch((error: unknown) => {
        failure = { error }
      })
    }
    if (failure) break
  }
  await boundSpool(spool)
  if (failure) throw failure.error
}

/**
 * Works on what waits, unless another process does. It looks once more after it has given the work back: another process may have
 * added something while it still seemed busy. Rejects if something could not be sent.
 */
export const flushSpool = async (flush: Flush): Promise<void> => {
  for (let turn = 0; turn < 3 && (await listWaiting(flush.spool)).length > 0; turn++) {
    const isMine = await whileLocked(flush.spool, async (touch) => {
      await work(flush, touch)
      return true
    })
    if (!isMine) return
  }
}
