import { Tokenizer } from '@huggingface/tokenizers'
import type { InferenceSession } from 'onnxruntime-node'
import type { Runtime } from './onnx-runtime.ts'

// A transformer with its tokenizer. It reads one text, or one pair of texts, at a time: weights of 8 bits use a scale that all texts of
// a batch share, so that an answer would depend on the others, and long texts take twice as long with padding.

/** The files of an encoder, read from its folder, and how much of a text it reads. */
export type EncoderParts = { weights: Uint8Array; vocabulary: string; settings: string; maxTokens: number }

/** The use of a model: its name in errors, and the outputs of which one is used. */
export type Purpose = { name: string; advice: string; outputs: readonly string[] }

type EncoderOutput = { data: Float32Array; dims: readonly number[] }

/** Runs the encoder on a text, or on a text and the one that is read after it. Throws where it returns no 32-bit numbers. */
export type Encoder = (text: string, pair?: string) => Promise<EncoderOutput>

// A word of a vocabulary is a few characters long; text beyond this is beyond the tokens that are read, and would only take time to
// split.
const charactersPerToken = 24

const knownInputs = new Set(['input_ids', 'attention_mask', 'token_type_ids'])

const findOutput = ({ inputNames, outputNames }: InferenceSession, { name, advice, outputs }: Purpose): string => {
  const unknown = inputNames.filter((input) => !knownInputs.has(input))
  if (unknown.length > 0) throw new Error(`The ${name} model asks for the input ${unknown.join(', ')}: ${advice}.`)
  const output = outputs.find((known) => outputNames.includes(known))
  if (output === undefined)
    throw new Error(
      `The ${name} model answers ${outputNames.join(', ')}: one that answers ${outputs.join(' or ')} is needed.`,
    )
  return output
}

type Tokens = { ids: readonly number[]; types: readonly number[] }

/** Cuts the end of the last text, and keeps the token that ends it. */
const cut = (tokens: readonly number[], max: number): readonly number[] =>
  tokens.length <= max ? tokens : [...tokens.slice(0, max - 1), tokens.at(-1) ?? 0]

const createTokenize = ({ vocabulary, settings, maxTokens }: EncoderParts) => {
  const tokenizer = new Tokenizer(JSON.parse(vocabulary), JSON.parse(settings))
  const maxCharacters = maxTokens * charactersPerToken
  return (text: string, pair?: string): Tokens => {
    const { ids, token_type_ids: types } = tokenizer.encode(text.slice(0, maxCharacters), {
      ...(pair !== undefined && { text_pair: pair.slice(0, maxCharacters) }),
      return_token_type_ids: true,
    })
    return { ids: cut(ids, maxTokens), types: cut(types, maxTokens) }
  }
}

/** Opens an encoder. Throws with advice where it is not one for the purpose. */
export const openEncoder = async (runtime: Runtime, parts: EncoderParts, purpose: Purpose): Promise<Encoder> => {
  const tokenize = createTokenize(parts)
  const session = await runtime.InferenceSession.create(parts.weights, {
    // Short texts are no faster on two threads; two at once are. The arena keeps the most memory ever used.
    intraOpNumThreads: 1,
    enableCpuMemArena: false,
  })
  const output = findOutput(session, purpose)
  return async (text, pair) => {
    const { ids, types } = tokenize(text, pair)
    const tensor = (data: BigInt64Array) => new runtime.Tensor('int64', data, [1, ids.length])
    const inputs = {
      input_ids: tensor(BigInt64Array.from(ids, BigInt)),
      attention_mask: tensor(new BigInt64Array(ids.length).fill(1n)),
      token_type_ids: tensor(BigInt64Array.from(types, BigInt)),
    }
    const asked = Object.entries(inputs).filter(([name]) => session.inputNames.includes(name))
    const { [output]: answer } = await session.run(Object.fromEntries(asked))
    if (!(answer?.data instanceof Float32Array))
      throw new Error(`The ${purpose.name} model returned no 32-bit numbers.`)
    return { data: answer.data, dims: answer.dims }
  }
}
