import type { LanguageModelV4CallOptions, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import type { Operation } from '@noema/contracts/batch.ts'
import { z } from 'zod'
import { type Answer, quoteLine, toSource } from '../answer.ts'
import { readShown, readValue, type ShownDocument as Shown } from '../read-document.ts'
import { describeFailure, readJson } from '../read-found.ts'
import type { Prompt } from '../read-prompt.ts'
import { type ProposedStatement, readStatements } from './read-statements.ts'

// The steps of proposing statements from a document: it is read, the people that it names are looked up, and what it says of
// them in so many words is written for review, each statement with its sentence.

/** The line of an agent's instructions that asks for it. */
const directive = /^noema\/extractive: propose statements$/m

/** A tool to call. */
export type Call = { toolName: string; input: object }

/** The tools of one Brain that it takes. */
type Tools = { read: string; write: string }

/** The document that the run reads, and the tools for it. */
type Task = { tools: Tools; document: string }

const people = z.object({
  records: z.array(z.object({ id: z.string(), kind: z.string(), slug: z.string().nullable() })),
})
const heldStatements = z.object({
  statements: z.array(
    z.object({
      subject: z.object({ id: z.string() }),
      predicate: z.string(),
      object: z.object({ value: z.unknown().optional() }),
    }),
  ),
})
const outcome = z.object({ outcome: z.enum(['landed', 'staged']), change: z.object({ id: z.string() }) })

type Person = { name: string; slug: string }

const findTools = ({ tools = [], toolChoice }: LanguageModelV4CallOptions): Tools | undefined => {
  const names = toolChoice?.type === 'none' ? [] : tools.map(({ name }) => name)
  const write = names.find((name) => /(?:^|__)knowledge_write$/.test(name))
  const read = write?.replace(/write$/, 'read')
  return write !== undefined && read !== undefined && names.includes(read) ? { read, write } : undefined
}

/** The document that a message names: as the data of an event has it, or as a person writes it. */
const findDocument = (question: string): string | undefined => {
  const [, quoted] = /"document"\s*:\s*(?:\{[^{}]{0,400}?"id"\s*:\s*)?("(?:[^"\\\n]|\\.){1,400}")/.exec(question) ?? []
  if (quoted !== undefined) return z.string().safeParse(readJson(quoted)).data
  const [, plain, bare] = /\b[Dd]ocument (?:"([^"\n]{1,200})"|([\w:.-]{1,199}[\w]))/.exec(question) ?? []
  return plain ?? bare
}

/** The document to propose from, if the agent's instructions ask for proposals. */
export const findTask = (options: LanguageModelV4CallOptions, { instructions, question }: Prompt): Task | undefined => {
  const tools = directive.test(instructions) ? findTools(options) : undefined
  const document = tools && findDocument(question)
  return tools && document !== undefined ? { tools, document } : undefined
}

/** A name as a slug: what people are found by again. */
const toSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 100)

/** People whom one proposal may be about. */
const maxPeople = 20

const listPeople = (statements: readonly ProposedStatement[]): Person[] => {
  const named = statements.map(({ person: name }) => ({ name, slug: toSlug(name) })).filter(({ slug }) => slug !== '')
  return [...new Map(named.map((person) => [person.slug, person])).values()].slice(0, maxPeople)
}

const lookUp = ({ tools }: Task, persons: readonly Person[]): Call[] =>
  persons.map(({ slug }) => ({
    toolName: tools.read,
    input: { action: 'list_records', kind: 'person', slug, limit: 1 },
  }))

/** Everything that is proposed, as one change: people who are new, then the statements. */
const toOperations = (
  { id: document, version }: Shown,
  statements: readonly ProposedStatement[],
  known: ReadonlyMap<string, string>,
): Operation[] => {
  const persons = listPeople(statements)
  const ids = new Map(persons.map(({ slug }) => [slug, known.get(slug) ?? `person-${slug}`]))
  const added = persons.filter(({ slug }) => !known.has(slug))
  return [
    ...added.map(({ name, slug }) => ({
      ...{ op: 'record.put' as const, id: `person-${slug}`, kind: 'person', slug },
      fields: { name },
    })),
    ...statements.flatMap(({ person, predicate, value, quote }) => {
      const id = ids.get(toSlug(person))
      if (id === undefined) return []
      const sources = [{ document, version, quote }]
      return [
        { op: 'statement.assert' as const, subject: { id, kind: 'person' }, predicate, object: { value }, sources },
      ]
    }),
  ]
}

const toAnswer = (text: string): Answer => ({ text, sources: [], citations: [] })

const describe = ({ id, version }: Shown): string => `document ${JSON.stringify(id)} version ${version}`

const describeProposed = (shown: Shown, statements: readonly ProposedStatement[], result: unknown): Answer => {
  const { data } = outcome.safeParse(result)
  const count = `${statements.length} ${statements.length === 1 ? 'statement' : 'statements'}`
  const head =
    data?.outcome === 'landed'
      ? `The Brain holds the ${count} of ${describe(shown)} already.`
      : `Proposed ${count} from ${describe(shown)}. They wait for review as the change ${data?.change.id ?? '(unknown)'}; each quotes the sentence that says it (noema/extractive recognises a few forms of English sentences and does not reason).`
  const lines = statements.map(
    ({ person, predicate, value, quote }) =>
      `- ${quoteLine(`${person} ${predicate} ${value}`)}\n  > ${quoteLine(quote)}`,
  )
  const address = { brain: undefined, type: 'document' as const, id: shown.id, version: shown.version }
  const quotes = statements.map(({ quote }) => quote)
  return {
    text: [head, ...lines].join('\n'),
    sources: [toSource({ ...address, title: shown.title ?? '' }, quotes)],
    citations: [],
  }
}

/** At most this many statements of one person are compared. */
const maxKnown = 200

const searchStatements = ({ tools }: Task, ids: readonly string[]): Call[] =>
  ids.map((subject) => ({ toolName: tools.read, input: { action: 'list_statements', subject, limit: maxKnown } }))

const toKey = (subject: string, predicate: string, value: unknown): string =>
  JSON.stringify([subject, predicate, value])

/** The proposals without those that the Brain already has. */
const leaveOutKnown = (
  statements: readonly ProposedStatement[],
  ids: ReadonlyMap<string, string>,
  results: readonly LanguageModelV4ToolResultPart[],
): ProposedStatement[] => {
  const held = new Set(
    results
      .flatMap((result) => heldStatements.safeParse(readValue(result)).data?.statements ?? [])
      .map(({ subject, predicate, object }) => toKey(subject.id, predicate, object.value)),
  )
  return statements.filter(({ person, predicate, value }) => {
    const id = ids.get(toSlug(person))
    return id === undefined || !held.has(toKey(id, predicate, value))
  })
}

const toIds = (results: readonly LanguageModelV4ToolResultPart[]): Map<string, string> => {
  const known = results.flatMap((result) => people.safeParse(readValue(result)).data?.records ?? [])
  return new Map(known.flatMap(({ id, slug }) => (slug === null ? [] : [[slug, id] as const])))
}

/** The calls that write the proposals, or look up their people first; `found` has the Brain's answers about the people. */
const propose = (
  task: Task,
  shown: Shown,
  statements: readonly ProposedStatement[],
  found: readonly LanguageModelV4ToolResultPart[],
): { calls: Call[] } | { answer: Answer } => {
  const persons = listPeople(statements)
  if (found.length === 0) return { calls: lookUp(task, persons) }
  const ids = toIds(found.slice(0, persons.length))
  if (found.length <= persons.length && ids.size > 0) return { calls: searchStatements(task, [...ids.values()]) }
  const added = leaveOutKnown(statements, ids, found.slice(persons.length))
  if (added.length === 0)
    return {
      answer: toAnswer(
        `The Brain holds all that ${describe(shown)} says of people in a form that noema/extractive recognises, so nothing is proposed.`,
      ),
    }
  return {
    calls: [{ toolName: task.tools.write, input: { operations: toOperations(shown, added, ids), review: true } }],
  }
}

/** The next step: tools to call, or the answer that ends the run. */
export const takeProposalStep = (task: Task, { results }: Prompt): { calls: Call[] } | { answer: Answer } => {
  const [first, ...later] = results
  if (!first) return { calls: [{ toolName: task.tools.read, input: { action: 'get_document', id: task.document } }] }
  const shown = readShown(first)
  if (!shown) return { answer: toAnswer(`The document could not be read: ${quoteLine(describeFailure(first.output))}`) }
  const statements = readStatements(shown.text)
  if (statements.length === 0)
    return {
      answer: toAnswer(
        `Nothing in ${describe(shown)} has a form that noema/extractive recognizes as a statement about a person, so nothing is proposed.`,
      ),
    }
  const found = later.filter(({ toolName }) => toolName !== task.tools.write)
  const written = later.find(({ toolName }) => toolName === task.tools.write)
  if (!written) return propose(task, shown, statements, found)
  if (written.output.type !== 'json' && written.output.type !== 'text')
    return { answer: toAnswer(`The proposal could not be written: ${quoteLine(describeFailure(written.output))}`) }
  const persons = listPeople(statements)
  const added = leaveOutKnown(statements, toIds(found.slice(0, persons.length)), found.slice(persons.length))
  return { answer: describeProposed(shown, added, readValue(written)) }
}
