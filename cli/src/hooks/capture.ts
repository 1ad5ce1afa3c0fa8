import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Said } from './hook-event.ts'
import { redact } from './redact.ts'
import { addWaiting, readOffset, writeOffset } from './spool.ts'
import { readTranscript } from './transcript.ts'

// A turn of a session as documents: the words of the person and of the agent, without credentials.

/** A turn that ended, as it waits to be captured. */
export type Turn = {
  kind: 'turn'
  client: string
  title: string
  session: string
  cwd: string
  transcript: string | undefined
  said: readonly Said[]
  at: string
}

/** A document that waits to be sent. */
export type WaitingDocument = { kind: 'document'; document: { id: string; [name: string]: unknown } }

/** A document has at most about this many characters; of one message this many are kept. */
const maxDocumentLength = 60_000
const maxMessageLength = 20_000
/** The most documents of one turn: a transcript that was never read before may be long. */
const maxDocuments = 400

/** Text that PostgreSQL can keep, at most so long. */
const cut = (text: string, length: number): string =>
  (text.length > length ? `${text.slice(0, length)} […]` : text).replaceAll('\0', '').toWellFormed()

const toMessage = ({ role, text }: Said): string =>
  `${role === 'user' ? 'Person' : 'Agent'}: ${cut(redact(text), maxMessageLength)}`

const firstLine = (text: string): string => cut(text.replace(/^\w+: /, '').split('\n')[0] ?? '', 80)

const toDocument = (
  { client, title, session, cwd, at }: Turn,
  place: string,
  messages: readonly string[],
): WaitingDocument => {
  const key = createHash('sha256').update(`${session}\n${place}`).digest('hex').slice(0, 24)
  const project = redact(basename(cwd))
  const names = [title, ...(project === '' ? [] : [project]), firstLine(messages[0] ?? '')]
  return {
    kind: 'document',
    document: {
      id: `${client}-${key}`,
      title: names.join(' · '),
      text: messages.join('\n\n'),
      contentType: 'text/plain',
      source: { name: client, externalId: session.slice(0, 500) },
      metadata: { client, session: session.slice(0, 500), ...(project === '' ? {} : { project }) },
      occurredAt: at,
    },
  }
}

/** The new words of a transcript, with the offset after each. One that became shorter is read from its beginning. */
async function* readNew(spool: string, { session, transcript }: Turn) {
  if (transcript === undefined) return
  const { size } = await stat(transcript).catch(() => ({ size: -1 }))
  if (size === -1) return
  const offset = await readOffset(spool, session)
  yield* readTranscript(transcript, offset > size ? 0 : offset)
}

/** Captures what is new in a session: documents that wait to be sent. An interrupted capture makes the same ones again. */
export const captureTurn = async (spool: string, turn: Turn, touch: () => Promise<void>): Promise<void> => {
  let messages: string[] = []
  let [length, documents, from, end] = [0, 0, -1, -1]
  const store = async () => {
    // Older documents of the same turn come first; those beyond the limit are left out.
    if (messages.length > 0 && documents++ < maxDocuments)
      await addWaiting(spool, toDocument(turn, String(from), messages))
    messages = []
    length = 0
    from = end
    if (end !== -1) await writeOffset(spool, turn.session, end)
    await touch()
  }
  from = turn.transcript === undefined ? -1 : await readOffset(spool, turn.session)
  for await (const { said, end: after } of readNew(spool, turn)) {
    const message = toMessage(said)
    if (length > 0 && length + message.length > maxDocumentLength) await store()
    messages.push(message)
    length += message.length
    end = after
  }
  await store()
  if (turn.transcript === undefined && turn.said.length > 0)
    await addWaiting(spool, toDocument(turn, turn.at, turn.said.map(toMessage)))
}
