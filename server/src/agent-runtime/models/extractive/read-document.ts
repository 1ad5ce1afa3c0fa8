import type { LanguageModelV4CallOptions, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { z } from 'zod'
import type { Call } from './proposals/propose.ts'
import { type Findings, readJson } from './read-found.ts'
import type { Prompt } from './read-prompt.ts'

// Documents from the tool that reads them. A search shows passages, whose subject may be in the headings above them, so the best
// documents are read whole.

const documentShown = z.object({
  document: z.object({ id: z.string(), version: z.int(), title: z.string().nullable(), text: z.string() }),
})

export type ShownDocument = z.infer<typeof documentShown>['document']

/** The text of a document that was cut for being long: as much of it as was shown. */
const readCut = (value: unknown): ShownDocument | undefined => {
  const cut = z.object({ beginning: z.string() }).safeParse(value)
  if (!cut.success) return undefined
  // Within the text each quotation mark has a backslash in front of it, so this is where it begins.
  const at = cut.data.beginning.lastIndexOf(',"text":"')
  if (at === -1) return undefined
  const text = cut.data.beginning.slice(at + 9).replace(/\\(?:u[\da-f]{0,3})?$/i, '')
  const opened = cut.data.beginning.slice(0, at)
  return documentShown.safeParse(readJson(`${opened},"text":"${text}"}}`)).data?.document
}

export const readValue = ({ output }: LanguageModelV4ToolResultPart): unknown =>
  output.type === 'json' ? output.value : output.type === 'text' ? readJson(output.value) : undefined

/** The document of an answer; undefined where it has none. */
export const readShown = (result: LanguageModelV4ToolResultPart): ShownDocument | undefined => {
  const value = readValue(result)
  return documentShown.safeParse(value).data?.document ?? readCut(value)
}

/** Documents that are read for one answer, and characters of all of them. */
const maxDocuments = 4
const maxDocumentCharacters = 300_000
/** A document of which less is shown has no more: passages of longer ones are longer. */
const minPassageLength = 450

const findReader = (
  { tools = [], toolChoice }: LanguageModelV4CallOptions,
  contextTool: string,
): string | undefined => {
  const name = contextTool.replace(/(?:context|search)$/, 'read')
  return toolChoice?.type !== 'none' && tools.some((tool) => tool.name === name) ? name : undefined
}

/** The documents to read of what each tool found: the best of each tool first. */
export const findReads = (
  options: LanguageModelV4CallOptions,
  { results }: Prompt,
  findings: readonly Findings[],
): Call[] => {
  if (results.some(({ toolName }) => /(?:^|__)knowledge_read$/.test(toolName))) return []
  const each = findings.map((one) => {
    const toolName = findReader(options, one.toolName)
    const long = one.found.filter(({ type, text }) => type === 'document' && text.length >= minPassageLength)
    return toolName === undefined ? [] : long.map(({ id }) => ({ toolName, input: { action: 'get_document', id } }))
  })
  const ranks = Math.max(0, ...each.map(({ length }) => length))
  return Array.from({ length: ranks }, (_, rank) => each.flatMap((calls) => calls[rank] ?? []))
    .flat()
    .slice(0, maxDocuments)
}

const findPrefix = (toolName: string): string => toolName.replace(/knowledge_\w+$/, '')

/** Adds the whole text of each document that was read since, if its version is the one that was found. */
export const addDocuments = ({ results }: Prompt, findings: Findings): Findings => {
  let left = maxDocumentCharacters
  const read = results.filter((result) => result.toolName === `${findPrefix(findings.toolName)}knowledge_read`)
  const shown = new Map(read.flatMap((result) => readShown(result) ?? []).map((one) => [one.id, one]))
  const found = findings.found.map((item) => {
    const document = item.type === 'document' ? shown.get(item.id) : undefined
    if (!document || document.version !== item.version || document.text.length <= item.text.length || left <= 0)
      return item
    const text = document.text.slice(0, left).toWellFormed()
    left -= text.length
    return { ...item, text }
  })
  return { ...findings, found }
}
