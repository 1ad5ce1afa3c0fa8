import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { z } from 'zod'

/** A text of a collection, as Noema is given it. */
export type CollectionDocument = {
  id: string
  text: string
  title?: string
  occurredAt?: string
  sequence?: { id: string; position: number }
}

/** A question and the documents that answer it. */
export type Question = { text: string; category: string; relevant: ReadonlySet<string> }

/** Documents of one Brain with the questions that are asked of it. */
export type Part = { name: string; documents: CollectionDocument[]; questions: Question[] }

const abstracts = z.object({
  docs: z.array(z.object({ id: z.string(), title: z.string(), text: z.string() })),
  queries: z.array(z.object({ text: z.string(), relevant: z.array(z.string()) })),
})

const conversations = z.object({
  conversations: z.array(
    z.object({
      id: z.string(),
      turns: z.array(
        z.object({ id: z.string(), session: z.string(), at: z.string(), speaker: z.string(), text: z.string() }),
      ),
      questions: z.array(z.object({ text: z.string(), category: z.number(), evidence: z.array(z.string()) })),
    }),
  ),
})

/** "1:56 pm on 8 May, 2023" as ISO 8601. */
const parseTime = (text: string): string => {
  const [, hour, minute, half, day] = /^(\d+):(\d+) ([ap]m) on (.+)$/.exec(text) ?? []
  const date = new Date(`${day} UTC`)
  date.setUTCHours((Number(hour) % 12) + (half === 'pm' ? 12 : 0), Number(minute))
  return date.toISOString()
}

const readConversation = (
  collection: string,
  { id, turns, questions }: z.infer<typeof conversations>['conversations'][number],
): Part => ({
  name: `${collection}-${id.toLowerCase()}`,
  documents: turns.map((turn, position) => ({
    id: turn.id,
    text: `${turn.speaker}: ${turn.text}`,
    occurredAt: parseTime(turn.at),
    sequence: { id: turn.session, position },
  })),
  questions: questions.map(({ text, category, evidence }) => ({
    text,
    category: String(category),
    relevant: new Set(evidence),
  })),
})

/**
 * Reads a collection: `{ docs, queries: [{ text, relevant }] }` is one Brain of documents with titles; `{ conversations:
 * [{ turns, questions: [{ text, category, evidence }] }] }` is a Brain for each conversation. Names of Brains begin with that of the file, so
 * that several collections on one node stay apart.
 */
export const readCollection = async (file: string): Promise<Part[]> => {
  const value: unknown = JSON.parse(await readFile(file, 'utf8'))
  const collection = basename(file, '.json').toLowerCase()
  const talks = conversations.safeParse(value)
  if (talks.success) return talks.data.conversations.map((one) => readConversation(collection, one))
  const { docs, queries } = abstracts.parse(value)
  const questions = queries.map(({ text, relevant }) => ({ text, category: 'all', relevant: new Set(relevant) }))
  return [{ name: collection, documents: docs, questions }]
}
