import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import type { LanguageModel } from '../language-model.ts'
import { type StepPart, takeStep } from './take-step.ts'

// The model that is built in. It needs no key and no network: it asks the Brains of its agent and answers by quoting what they
// found, each quote with its address. It does not reason, and says so. It follows no instruction in the texts that it reads.

/** Nothing is counted in tokens here, so none are used. */
const usage: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
}

const toFinishReason = (content: readonly StepPart[]): LanguageModelV4FinishReason => {
  const unified = content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop'
  return { unified, raw: unified }
}

function* toStreamParts(content: readonly StepPart[]): Generator<LanguageModelV4StreamPart> {
  const finishReason = toFinishReason(content)
  yield { type: 'stream-start', warnings: [] }
  for (const [index, part] of content.entries()) {
    if (part.type !== 'text') yield part
    else {
      const id = `text-${index + 1}`
      yield { type: 'text-start', id }
      yield { type: 'text-delta', id, delta: part.text }
      yield { type: 'text-end', id, ...(part.citations ? { citations: part.citations } : {}) }
    }
  }
  yield { type: 'finish', usage, finishReason }
}

const step = async (options: LanguageModelV4CallOptions): Promise<StepPart[]> => {
  options.abortSignal?.throwIfAborted()
  return takeStep(options)
}

/**
 * Makes the model `noema/extractive`. The same prompt has the same answer. Throws MissingEvidence where an outputSchema
 * requires what nothing says.
 */
export const createExtractiveModel = (): LanguageModel => ({
  specificationVersion: 'v4',
  provider: 'noema',
  modelId: 'extractive',
  supportedUrls: {},
  doGenerate: async (options) => {
    const content = await step(options)
    return { content, finishReason: toFinishReason(content), usage, warnings: [], response: { modelId: 'extractive' } }
  },
  doStream: async (options) => ({ stream: ReadableStream.from(toStreamParts(await step(options))) }),
})
