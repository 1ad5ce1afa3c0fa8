import type { LanguageModelV4Source, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { quotedAddress, type RunPart } from '@noema/contracts/run-stream.ts'

/** What a model said in a step, in its order: the content of the message that is kept of it. */
export type StepContent =
  | { type: 'text' | 'reasoning'; text: string }
  | { type: 'source'; sourceType: 'url'; id: string; url: string; title?: string }
  | ({ type: 'source'; sourceType: 'document'; id: string; mediaType: string; title: string } & DocumentDetails)

type DocumentDetails = Pick<Extract<RunPart, { type: 'source-document' }>, 'filename' | 'providerMetadata'>

type Streamed = Extract<StepContent, { text: string }>
type OpenText = { id: string; content: Streamed }

const toSource = (source: LanguageModelV4Source): Extract<StepContent, { type: 'source' }> => {
  const { id } = source
  if (source.sourceType === 'url') {
    const title = source.title === undefined ? {} : { title: source.title }
    return { type: 'source', sourceType: 'url', id, url: source.url, ...title }
  }
  const filename = source.filename === undefined ? {} : { filename: source.filename }
  // What other providers add says nothing here, and may be long.
  const quoted = quotedAddress.safeParse(source.providerMetadata?.noema)
  const address = quoted.success ? { providerMetadata: { noema: quoted.data } } : {}
  const { mediaType, title } = source
  return { type: 'source', sourceType: 'document', id, mediaType, title, ...filename, ...address }
}

const toSourcePart = (source: Extract<StepContent, { type: 'source' }>): RunPart => {
  const { type: _type, sourceType: _sourceType, id: sourceId, ...rest } = source
  return 'url' in rest ? { type: 'source-url', sourceId, ...rest } : { type: 'source-document', sourceId, ...rest }
}

type ReadPart = Extract<LanguageModelV4StreamPart, { type: `${Streamed['type']}-${'start' | 'delta' | 'end'}` }>

const isText = (part: LanguageModelV4StreamPart): part is ReadPart =>
  /^(text|reasoning)-(start|delta|end)$/.test(part.type)

export type StepParts = {
  /** What one thing that the model sent adds to the run's stream. Calls of tools are added once they are operations. */
  read(part: LanguageModelV4StreamPart): RunPart[]
  /** Ends what the model left open. */
  end(): RunPart[]
  /** All that it said so far. */
  content(): readonly StepContent[]
  /** How many characters of text that is. */
  length(): number
}

/**
 * Makes a run's stream and its message of what a model streams, so that one says what the other does. Ids of a provider may
 * repeat from step to step; in the run, the id of the operation goes before a number.
 */
export const createStepParts = (operationId: string): StepParts => {
  const open = new Map<string, OpenText>()
  const content: StepContent[] = []
  let texts = 0
  let length = 0

  const start = (type: Streamed['type'], key: string): { text: OpenText; parts: RunPart[] } => {
    const text: OpenText = { id: `${operationId}:${++texts}`, content: { type, text: '' } }
    open.set(key, text)
    content.push(text.content)
    return { text, parts: [{ type: `${type}-start`, id: text.id }] }
  }
  const end = (type: Streamed['type'], key: string): RunPart[] => {
    const text = open.get(key)
    return text && open.delete(key) ? [{ type: `${type}-end`, id: text.id }] : []
  }
  const readText = (part: ReadPart): RunPart[] => {
    const type = part.type.startsWith('text') ? 'text' : 'reasoning'
    const key = `${type} ${part.id}`
    if (part.type.endsWith('-end')) return end(type, key)
    // Begun again under the same id, it is another piece of text.
    if (part.type.endsWith('-start')) return [...end(type, key), ...start(type, key).parts]
    if (!('delta' in part) || part.delta === '') return []
    const known = open.get(key)
    const { text, parts } = known ? { text: known, parts: [] } : start(type, key)
    text.content.text += part.delta
    length += part.delta.length
    return [...parts, { type: `${type}-delta`, id: text.id, delta: part.delta }]
  }
  return {
    read: (part) => {
      if (isText(part)) return readText(part)
      if (part.type !== 'source') return []
      const source = toSource(part)
      content.push(source)
      return [toSourcePart(source)]
    },
    end: () =>
      [...open].flatMap(
        ([
          key,
          {
            content: { type },
          },
        ]) => end(type, key),
      ),
    content: () => content.filter((one) => one.type === 'source' || one.text !== ''),
    length: () => length,
  }
}
