import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import { orAbort } from '../../shared/timeout.ts'
import type { LanguageModel } from './language-model.ts'
import { type Asked, ModelFailure, toModelFailure } from './model-failure.ts'

// Guards the runs from the adapter of a provider: no part of a request or of a response's headers gets through, each failure has
// a message of our own, and numbers are numbers.

/** `pricedBy`: the key of its price, reported as its provider. */
type Guarded = Asked & { pricedBy: string; modelId: string }
type Options = LanguageModelV4CallOptions

const maxTokens = 1_000_000_000

/** A count of tokens as it may be stored; undefined where a provider says what cannot be. */
const toCount = (count: number | undefined): number | undefined =>
  count !== undefined && count >= 0 && count <= maxTokens ? Math.round(count) : undefined

const toUsage = ({ inputTokens, outputTokens }: LanguageModelV4Usage): LanguageModelV4Usage => ({
  inputTokens: {
    total: toCount(inputTokens.total),
    noCache: toCount(inputTokens.noCache),
    cacheRead: toCount(inputTokens.cacheRead),
    cacheWrite: toCount(inputTokens.cacheWrite),
  },
  outputTokens: {
    total: toCount(outputTokens.total),
    text: toCount(outputTokens.text),
    reasoning: toCount(outputTokens.reasoning),
  },
})

// The database takes no U+0000.
const toStorable = (text: string): string => text.replaceAll('\0', '�')

const toPart = (part: LanguageModelV4StreamPart, asked: Asked): LanguageModelV4StreamPart => {
  switch (part.type) {
    case 'error':
      return { type: 'error', error: toModelFailure(part.error, asked) }
    case 'text-delta':
    case 'reasoning-delta':
      return { ...part, delta: toStorable(part.delta) }
    case 'tool-call':
      return { ...part, input: toStorable(part.input) }
    case 'finish': {
      const { unified } = part.finishReason
      // A stream that simply ends is no answer: what came may be half a sentence, or half a call.
      if (unified !== 'interrupted' && unified !== 'error') return { ...part, usage: toUsage(part.usage) }
      const message = `The response of the provider ${asked.provider} ended before it was complete.`
      return { type: 'error', error: new ModelFailure(message, { isRetryable: true }) }
    }
    default:
      return part
  }
}

const hasAborted = ({ abortSignal }: Options): boolean => abortSignal?.aborted === true

/** The parts of an answer, up to the first failure. Cancelling ends the call. */
const guardParts = (
  stream: ReadableStream<LanguageModelV4StreamPart>,
  options: Options,
  asked: Asked,
): ReadableStream<LanguageModelV4StreamPart> => {
  const reader = stream.getReader()
  const end = (reason: unknown) => reader.cancel(reason).catch(() => undefined)
  const next = async (controller: ReadableStreamDefaultController<LanguageModelV4StreamPart>) => {
    const { done, value } = await orAbort(reader.read(), options.abortSignal)
    if (done) return controller.close()
    const part = toPart(value, asked)
    controller.enqueue(part)
    if (part.type !== 'error') return
    controller.close()
    void end(part.error)
  }
  const fail = (error: unknown) => {
    void end(error)
    throw hasAborted(options) ? options.abortSignal?.reason : toModelFailure(error, asked)
  }
  return new ReadableStream({ pull: (controller) => next(controller).catch(fail), cancel: end }, { highWaterMark: 0 })
}

/** Calls a new adapter from `open`; throws a ModelFailure, or the reason of its signal. */
const call = async <Result>(
  open: () => Promise<LanguageModel>,
  { options, asked }: { options: Options; asked: Asked },
  ask: (model: LanguageModel) => PromiseLike<Result>,
): Promise<Result> => {
  try {
    return await ask(await open())
  } catch (error) {
    throw hasAborted(options) ? options.abortSignal?.reason : toModelFailure(error, asked)
  }
}

/** A model whose failures are ModelFailures, and whose answers hold nothing of how they were asked for. */
export const guardModel = (
  { pricedBy, modelId, ...asked }: Guarded,
  open: () => Promise<LanguageModel>,
  adjust: (options: Options) => Options,
): LanguageModel => ({
  specificationVersion: 'v4',
  provider: pricedBy,
  modelId,
  supportedUrls: {},
  doGenerate: async (given) => {
    const options = adjust(given)
    const {
      request: _sent,
      response: _headers,
      ...result
    } = await call(open, { options, asked }, (model) => model.doGenerate(options))
    return { ...result, usage: toUsage(result.usage) }
  },
  doStream: async (given) => {
    const options = adjust(given)
    const { stream } = await call(open, { options, asked }, (model) => model.doStream(options))
    return { stream: guardParts(stream, options, asked) }
  },
})
