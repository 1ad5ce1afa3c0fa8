import type { LanguageModelV4Source, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { quotedAddress, type RunPart } from '@noema/contracts/run-stream.ts'

/** Something that a model said in a step: content of the message that is stored. */
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
  // The metadata of other providers have no meaning here, and may be long.
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

/** PostgreSQL keeps no character U+0000. */
const cleanDelta = (delta: string): string => (delta.includes('\0') ? delta.replaceAll('\0', '\uFFFD') : delta)

/**
 * Makes a run's stream and its message from what a model streams, so that both say the same. A provider may repeat its ids from
 * step to step; in the run, an id is that of the operation and a number.
 */
export class StepParts {
  /** Characters of text so far. */
  length = 0
  readonly #operationId: string
  readonly #open = new Map<string, OpenText>()
  readonly #content: StepContent[] = []
  #texts = 0

  constructor(operationId: string) {
    this.#operationId = operationId
  }

  /** The parts that one thing the model sent adds to the stream. Calls of tools are added once they are operations. */
  read(part: LanguageModelV4StreamPart): RunPart[] {
    if (isText(part)) return this.#readText(part)
    if (part.type !== 'source') return []
    const source = toSource(part)
    this.#content.push(source)
    return [toSourcePart(source)]
  }

  /** Closes the texts that the model left open. */
  close(): RunPart[] {
    return [...this.#open].flatMap(([key, { content }]) => this.#closeText(content.type, key))
  }

  /** Everything that the model said, in its order. */
  toContent(): readonly StepContent[] {
    return this.#content.filter((one) => one.type === 'source' || one.text !== '')
  }

  #readText(part: ReadPart): RunPart[] {
    const type = part.type.startsWith('text') ? 'text' : 'reasoning'
    const key = `${type} ${part.id}`
    if (part.type.endsWith('-end')) return this.#closeText(type, key)
    // Begun again under the same id, it is another piece of text.
    if (part.type.endsWith('-start')) return [...this.#closeText(type, key), ...this.#openText(type, key).parts]
    if (!('delta' in part) || part.delta === '') return []
    const found = this.#open.get(key)
    const { text, parts } = found ? { text: found, parts: [] } : this.#openText(type, key)
    const delta = cleanDelta(part.delta)
    text.content.text += delta
    this.length += delta.length
    return [...parts, { type: `${type}-delta`, id: text.id, delta }]
  }

  #openText(type: Streamed['type'], key: string): { text: OpenText; parts: RunPart[] } {
    const text: OpenText = { id: `${this.#operationId}:${++this.#texts}`, content: { type, text: '' } }
    this.#open.set(key, text)
    this.#content.push(text.content)
    return { text, parts: [{ type: `${type}-start`, id: text.id }] }
  }

  #closeText(type: Streamed['type'], key: string): RunPart[] {
    const text = this.#open.get(key)
    return text && this.#open.delete(key) ? [{ type: `${type}-end`, id: text.id }] : []
  }
}
