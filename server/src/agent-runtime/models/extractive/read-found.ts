import type { LanguageModelV4ToolResultOutput, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { type Evidence, evidence, itemType } from '@noema/contracts/search.ts'
import { z } from 'zod'

// The findings of a Brain's tools, as items with their addresses. A context is read by its frames: each line of an item begins
// with ">", so no content of a Brain passes for another item or for its address.

/** The source of a quote: an item in one of its versions. */
export type Address = {
  brain: string | undefined
  type: z.infer<typeof itemType>
  id: string
  version: number
  title: string
}

/** An item that was found, the best first, with what was shown of it. Records have a kind and may have a slug. */
export type Found = Address & { evidence: Evidence; text: string; kind?: string; slug?: string }

/** The answer of one tool. `failure` is its error, `unread` says that the newest content was not searched. */
export type Findings = Answered & { toolName: string }
type Answered = { found: Found[]; evidence: Evidence; failure?: string; unread?: string }

/** Characters that are read of what all tools answered, the same of each: some times as many as a context usually has. */
const maxCharacters = 60_000

const address = {
  ...{ type: itemType, id: z.string(), version: z.int(), title: z.string().default(''), evidence },
  // Items of a corpus name their Brain.
  brain: z.object({ handle: z.string() }).optional(),
}
const degraded = z.array(z.object({ reason: z.string(), message: z.string() })).optional()
const searched = z.object({ results: z.array(z.object({ ...address, snippet: z.string() })), evidence, degraded })
const context = z.object({
  context: z.string(),
  items: z.array(z.object({ ...address, item: z.int() })).default([]),
  evidence,
  degraded,
})
const reported = z.object({ evidence, degraded })

/** The notice that content was written a moment ago and is not searched yet, if there is one. */
const readUnread = (reasons: z.infer<typeof degraded>): { unread?: string } => {
  const found = reasons?.find(({ reason }) => reason === 'not_yet_indexed')
  return found ? { unread: found.message } : {}
}

const frameStart = /^\[\[\w+ item (\d+): (\w+) ("(?:[^"\\]|\\.)*") version (\d+)(.*)\]\]$/
const frameEnd = /^\[\[\w+ end \d+\]\]$/
const quotedTitle = /^, ("(?:[^"\\]|\\.)*")/
const quotedNames = /^, kind ("(?:[^"\\]|\\.)*")(?:, slug ("(?:[^"\\]|\\.)*"))?/
const brainName = /^# Context from the Brain (\S+) at state \d+$/m

type Frame = Address & { item: number; lines: string[]; kind?: string; slug?: string }

const openFrame = (line: string, brain: string | undefined): Frame | undefined => {
  const [, item, type, id, version, notes = ''] = frameStart.exec(line) ?? []
  const known = itemType.safeParse(type)
  if (item === undefined || id === undefined || !known.success) return undefined
  const title = quotedTitle.exec(notes)?.[1]
  const [, kind, slug] = quotedNames.exec(notes) ?? []
  return {
    ...(kind === undefined ? {} : { kind: JSON.parse(kind) }),
    ...(slug === undefined ? {} : { slug: JSON.parse(slug) }),
    ...{ brain, item: Number(item), type: known.data, id: JSON.parse(id), version: Number(version) },
    title: title === undefined ? '' : JSON.parse(title),
    lines: [],
  }
}

/** The items of a context by its frames. */
const readFrames = (text: string): Frame[] => {
  const brain = brainName.exec(text.slice(0, 1_000))?.[1]
  const frames: Frame[] = []
  let open: Frame | undefined
  for (const line of text.split('\n')) {
    if (frameEnd.test(line)) open = undefined
    else if (open) open.lines.push(line.replace(/^> ?/, ''))
    else {
      open = openFrame(line, brain)
      if (open) frames.push(open)
    }
  }
  return frames
}

/** The title of a record, if a line of its fields has one. */
const recordName = /^(?:title|name|label|subject|summary): (.{1,200})$/m

const readContextFound = (value: z.infer<typeof context>): Answered => {
  const items = new Map(value.items.map((item) => [item.item, item]))
  const found = readFrames(value.context).map(({ item, lines, ...frame }) => {
    const known = items.get(item)
    const text = lines.join('\n')
    const name = frame.type === 'record' ? recordName.exec(text)?.[1] : undefined
    const brain = known?.brain?.handle ?? frame.brain
    const title = known?.title ?? name ?? frame.title
    return { ...frame, brain, title, evidence: known?.evidence ?? value.evidence, text }
  })
  return { found, evidence: value.evidence, ...readUnread(value.degraded) }
}

const readValue = (value: unknown, brain: string | undefined): Answered | undefined => {
  const asContext = context.safeParse(value)
  if (asContext.success) return readContextFound(asContext.data)
  const asResults = searched.safeParse(value)
  if (!asResults.success) return undefined
  const { results, evidence, degraded: reasons } = asResults.data
  const found = results.map(({ snippet, brain: own, ...item }) => ({
    ...{ ...item, brain: own?.handle ?? brain, text: snippet },
  }))
  return { found, evidence, ...readUnread(reasons) }
}

/** JSON as a value; undefined where it is none. */
export const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An answer as text: JSON, or a context with further data as JSON in the last part. */
const readTexts = (texts: readonly string[], brain: string | undefined): Answered | undefined => {
  const [first = '', last = first] = [texts[0], texts.at(-1)]
  const whole = readValue(readJson(first), brain)
  if (whole) return whole
  const beside = reported.safeParse(readJson(texts.length > 1 ? last : last.slice(last.lastIndexOf('\n{') + 1)))
  const frames = readFrames(first)
  if (!beside.success && frames.length === 0) return undefined
  const rest = beside.success ? beside.data : { evidence: 'weak' as const }
  return readContextFound({ context: first, items: [], ...rest })
}

const listTexts = (output: LanguageModelV4ToolResultOutput): string[] => {
  if (output.type === 'text') return [output.value]
  if (output.type !== 'content') return []
  return output.value.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

const maxFailureLength = 300

/** Why a tool did not answer, in its own words. */
export const describeFailure = (output: LanguageModelV4ToolResultOutput): string => {
  if (output.type === 'error-text') return output.value.slice(0, maxFailureLength)
  const reported =
    output.type === 'error-json'
      ? z.object({ error: z.object({ message: z.string() }) }).safeParse(output.value)
      : undefined
  return reported?.success
    ? reported.data.error.message.slice(0, maxFailureLength)
    : 'The answer of the tool could not be read.'
}

const isFailure = ({ type }: LanguageModelV4ToolResultOutput): boolean =>
  type === 'error-text' || type === 'error-json' || type === 'execution-denied'

/** The handle in the name of a tool, where an agent has several Brains. */
const findBrain = (toolName: string): string | undefined => /^(.+)__knowledge_/.exec(toolName)?.[1]

const readOne = ({ toolName, output }: LanguageModelV4ToolResultPart): Findings => {
  const brain = findBrain(toolName)
  const read = isFailure(output)
    ? undefined
    : output.type === 'json'
      ? readValue(output.value, brain)
      : readTexts(listTexts(output), brain)
  return { toolName, ...(read ?? { found: [], evidence: 'none', failure: describeFailure(output) }) }
}

/** The items of one answer up to so many characters, the best first. */
const cutFound = (found: readonly Found[], maxLength: number): Found[] => {
  let left = maxLength
  return found.flatMap((item) => {
    const text = item.text.length <= left ? item.text : item.text.slice(0, left).toWellFormed()
    left -= text.length
    return text === '' ? [] : [{ ...item, text }]
  })
}

/** Reads what tools of Brains answered, each by itself. */
export const readFindings = (results: readonly LanguageModelV4ToolResultPart[]): Findings[] => {
  const share = Math.floor(maxCharacters / Math.max(1, results.length))
  return results.map((result) => {
    const findings = readOne(result)
    return { ...findings, found: cutFound(findings.found, share) }
  })
}
