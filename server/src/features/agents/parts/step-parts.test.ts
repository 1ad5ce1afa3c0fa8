import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { RunPart } from '@noema/contracts/run-stream.ts'
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toEndingParts, toOpeningParts } from './run-parts.ts'
import { StepParts } from './step-parts.ts'

/** The compiler holds our parts against the chunks of the AI SDK. */
const toChunks = (parts: readonly RunPart[]): readonly UIMessageChunk[] => parts

/** The message that the AI SDK makes of a stream. */
const readMessage = async (parts: readonly RunPart[]): Promise<UIMessage | undefined> => {
  let last: UIMessage | undefined
  for await (const message of readUIMessageStream({ stream: ReadableStream.from(toChunks(parts)) })) last = message
  return last
}

const streamStep = (sent: readonly LanguageModelV4StreamPart[]) => {
  const step = new StepParts('opr_1')
  const parts = [...sent.flatMap((part) => step.read(part)), ...step.close()]
  return { parts, content: step.toContent() }
}

const id = fc.constantFrom('0', '1', 'a')
const kind = fc.constantFrom('text' as const, 'reasoning' as const)
const sent = fc.oneof(
  fc.record({ kind, id }).map(({ kind: type, id: of }) => ({ type: `${type}-start` as const, id: of })),
  fc
    .record({ kind, id, delta: fc.string({ unit: 'grapheme', maxLength: 5 }) })
    .map(({ kind: type, id: of, delta }) => ({ type: `${type}-delta` as const, id: of, delta })),
  fc.record({ kind, id }).map(({ kind: type, id: of }) => ({ type: `${type}-end` as const, id: of })),
  fc.constant({ type: 'source' as const, sourceType: 'url' as const, id: 's', url: 'https://example.com/' }),
  fc.constant({ type: 'tool-input-start' as const, id: 'call', toolName: 'search' }),
  fc.constant({ type: 'response-metadata' as const, id: 'response' }),
)

test('D-73 the AI SDK reads the same message from the stream that the model sent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(sent, { maxLength: 30 }), async (all) => {
      const { parts, content } = streamStep(all)
      const message = await readMessage([
        ...toOpeningParts('run_1', 1),
        ...parts,
        ...toEndingParts({ state: 'completed' }, true),
      ])
      const read = (message?.parts ?? []).flatMap((part) => {
        if ((part.type === 'text' || part.type === 'reasoning') && part.text !== '') return [[part.type, part.text]]
        return part.type === 'source-url' ? [['source', part.url]] : []
      })
      const kept = content.map((one) => [
        one.type,
        one.type === 'source' && 'url' in one ? one.url : 'text' in one && one.text,
      ])
      expect(read).toEqual(kept)
    }),
  )
})

test('D-73 text that a model leaves open is ended, and ids of texts are unique in a run', () => {
  const { parts } = streamStep([
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'Hello' },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'again' },
  ])
  expect(parts).toEqual([
    { type: 'text-start', id: 'opr_1:1' },
    { type: 'text-delta', id: 'opr_1:1', delta: 'Hello' },
    { type: 'text-end', id: 'opr_1:1' },
    { type: 'text-start', id: 'opr_1:2' },
    { type: 'text-delta', id: 'opr_1:2', delta: 'again' },
    { type: 'text-end', id: 'opr_1:2' },
  ])
})

test('D-71 the address of a quote is in the stream and in the message, and metadata of other providers are not', async () => {
  const noema = { brain: 'team', type: 'document', id: 'doc_1', version: 2, quotes: ['Ada works at Acme.'] }
  const { parts, content } = streamStep([
    {
      ...{
        type: 'source',
        sourceType: 'document',
        id: 'team/document/doc_1@2',
        mediaType: 'text/plain',
        title: 'Notes',
      },
      providerMetadata: { noema, other: { long: 'x'.repeat(1_000) } },
    },
  ])
  const message = await readMessage([
    ...toOpeningParts('run_1', 1),
    ...parts,
    ...toEndingParts({ state: 'completed' }, true),
  ])
  const source = { mediaType: 'text/plain', title: 'Notes', providerMetadata: { noema } }
  expect(content).toEqual([{ type: 'source', sourceType: 'document', id: 'team/document/doc_1@2', ...source }])
  expect(message?.parts).toContainEqual({ type: 'source-document', sourceId: 'team/document/doc_1@2', ...source })
})
