import { hash } from 'node:crypto'
import { type Citation, type FindingKind, type ItemFlag, maxDistilledItems } from '@noema/contracts/distillations.ts'
import { joinFlags } from './find-instructions.ts'
import type { DistillationDefinition, Extract, ItemContent, ItemRow, Seen } from './types.ts'

// From what was seen in single runs to items: what several runs show becomes one item, with each place where it was seen.

/** Places that one item names. */
const maxCitations = 20

/** A sequence of tools is a candidate for a skill in so many runs, and a failure of a tool a lesson when it was seen so often. */
const minRuns = 3
const minFailures = 2

/** The tools of a sequence. */
const minLength = 2
const maxLength = 6

type Gathered = { finding: FindingKind; seen: number; citations: Citation[]; flags: ItemFlag[] }

const add = (gathered: Gathered, citation: Citation, flags: readonly ItemFlag[]): void => {
  gathered.seen++
  if (gathered.citations.length < maxCitations) gathered.citations.push(citation)
  gathered.flags = joinFlags([gathered.flags, flags])
}

type Sequence = Gathered & { tools: string[] }
type Lesson = Gathered & { text: Pick<Seen, 'situation' | 'advice' | 'outcome'>; key: string }

/** A short and stable name of what was seen, so that another distillation finds the same item. */
const toDigest = (parts: readonly string[]): string => hash('sha256', JSON.stringify(parts)).slice(0, 16)

const toSlug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, 20)
    .replaceAll(/^-+|-+$/gu, '')

/** The tools of a run, a repeated call counted once. */
const withoutRepeats = (tools: Extract['tools']): Extract['tools'] =>
  tools.filter(([name], index) => tools[index - 1]?.[0] !== name)

/** Gathers what runs show. Runs are added one by one, in their order. */
export class Gathering {
  #lessons = new Map<string, Lesson>()
  #sequences = new Map<string, Sequence>()

  add(runId: string, { tools, seen, flags }: Extract): void {
    for (const one of seen) this.#addLesson(runId, one)
    const called = withoutRepeats(tools)
    const counted = new Set<string>()
    for (let from = 0; from < called.length; from++)
      for (let length = minLength; length <= maxLength && from + length <= called.length; length++) {
        const part = called.slice(from, from + length)
        const names = part.map(([name]) => name)
        const key = JSON.stringify(names)
        if (counted.has(key)) continue
        counted.add(key)
        const sequence = this.#sequences.get(key) ?? {
          ...{ finding: 'tool_sequence', seen: 0, citations: [], flags: [], tools: names },
        }
        this.#sequences.set(key, sequence)
        add(sequence, { runId, operationId: part[0]?.[1] ?? '' }, flags)
      }
  }

  #addLesson(runId: string, { finding, key, situation, advice, outcome, operationId, flags }: Seen): void {
    const name = `${finding} ${key}`
    // Of one wording that instructs and one that does not, the latter is kept.
    const known = this.#lessons.get(name)
    const text = known && !(known.flags.includes('instructions') && flags.length === 0) ? known.text : undefined
    const lesson: Lesson = known ?? {
      ...{ finding, seen: 0, citations: [], flags: [], key: name },
      text: { situation, advice, outcome },
    }
    lesson.text = text ?? { situation, advice, outcome }
    this.#lessons.set(name, lesson)
    add(lesson, { runId, operationId }, flags)
  }

  /** Sequences in enough runs that are not a part of a longer one in as many. */
  #listSequences(): Sequence[] {
    const frequent = [...this.#sequences.values()].filter(({ seen }) => seen >= minRuns)
    const inner = new Set<string>()
    for (const { tools, seen } of frequent)
      for (const part of [tools.slice(1), tools.slice(0, -1)]) {
        const key = JSON.stringify(part)
        if (this.#sequences.get(key)?.seen === seen) inner.add(key)
      }
    return frequent.filter(({ tools }) => !inner.has(JSON.stringify(tools)))
  }

  #listLessons(): Lesson[] {
    const isEnough = ({ finding, seen }: Lesson) => finding !== 'tool_failure' || seen >= minFailures
    return [...this.#lessons.values()].filter(isEnough)
  }

  /** The items, those of people first, then the most frequent. */
  listItems(produce: DistillationDefinition['produce']): Omit<ItemRow, 'number'>[] {
    const toContent = ({ finding, seen, citations, flags }: Gathered) => ({
      ...{ finding, seen, citations, flags, wordedBy: 'service' as const },
    })
    const toItem = (type: ItemRow['type'], item: string, content: ItemContent) => ({
      ...{ type, item, content, outcome: 'found' as const, change: null, note: null },
    })
    const lessons = produce.includes('lesson')
      ? this.#listLessons().map((lesson) =>
          toItem('lesson', `lesson-${toDigest([lesson.key])}`, { ...toContent(lesson), lesson: lesson.text }),
        )
      : []
    const skills = produce.includes('skill')
      ? this.#listSequences().map((sequence) => {
          const { tools } = sequence
          const name = `${toSlug(tools[0] ?? '')}-to-${toSlug(tools.at(-1) ?? '')}-${toDigest(tools).slice(0, 8)}`
          const description = `How runs use ${tools.join(', then ')}. Use it for a task that needs these tools.`
          return toItem('skill', name.replaceAll(/^-+|-+(?=-)/gu, ''), {
            ...{ ...toContent(sequence), tools, description: description.slice(0, 1_000) },
          })
        })
      : []
    const rank = ({ content }: { content: ItemContent }) => (content.finding === 'correction' ? 0 : 1)
    return [...lessons, ...skills]
      .toSorted((one, other) => rank(one) - rank(other) || other.content.seen - one.content.seen)
      .slice(0, maxDistilledItems)
  }
}
