import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Tokenizer } from '@huggingface/tokenizers'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { readModelFile } from './model-files.ts'

// all-MiniLM-L6-v2, its weights in 8 bits: the mean of what it makes of a text's tokens, brought to length 1. It was
// trained on texts of up to 256 tokens and reads no further.

export const dimensions = 384
const mostTokens = 256

// A word of the vocabulary is a few characters long; what is beyond this is beyond the tokens that are read, and would
// only cost the time to split it.
const mostCharacters = 256 * 24

/** What ONNX Runtime is to this file, whichever build of it was loaded. */
type Runtime = {
  InferenceSession: { create(model: Uint8Array, options: InferenceSession.SessionOptions): Promise<InferenceSession> }
  Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => Tensor
}

/** Texts as the numbers of their tokens. */
export type Tokens = readonly number[]

export type Model = {
  /** The build of ONNX Runtime that runs: `native`, or `wasm` where there is none for this machine. */
  runtime: 'native' | 'wasm'
  tokenize(text: string): Tokens
  /** The vectors of a batch, one after the other. Texts of about one length waste the least. */
  run(batch: readonly Tokens[]): Promise<Float32Array>
}

const wasmFolder = 'vendor/onnxruntime-web'

/** The build that the model's package brings along: one thread and about a tenth as fast, but it runs anywhere. */
const loadWasm = async (folder: string): Promise<Runtime> => {
  const [wasm] = await Promise.all([
    readModelFile(folder, `${wasmFolder}/ort-wasm-simd-threaded.wasm`),
    readModelFile(folder, `${wasmFolder}/ort-wasm-simd-threaded.mjs`),
    readModelFile(folder, `${wasmFolder}/ort.wasm.min.mjs`),
  ])
  const runtime = await import(pathToFileURL(join(folder, wasmFolder, 'ort.wasm.min.mjs')).href)
  runtime.env.wasm.numThreads = 1
  runtime.env.wasm.wasmPaths = pathToFileURL(`${join(folder, wasmFolder)}/`).href
  runtime.env.wasm.wasmBinary = wasm
  return runtime
}

const loadNative = (): Promise<Runtime | undefined> => import('onnxruntime-node').catch(() => undefined)

/** The mean of each text's token vectors, without the padding, at length 1. */
const meanOfTokens = (hidden: Float32Array, batch: readonly Tokens[], width: number): Float32Array => {
  const vectors = new Float32Array(batch.length * dimensions)
  batch.forEach((tokens, text) => {
    const vector = vectors.subarray(text * dimensions, (text + 1) * dimensions)
    for (let token = 0; token < tokens.length; token++) {
      const at = (text * width + token) * dimensions
      for (let axis = 0; axis < dimensions; axis++) vector[axis] = (vector[axis] ?? 0) + (hidden[at + axis] ?? 0)
    }
    const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1
    for (let axis = 0; axis < dimensions; axis++) vector[axis] = (vector[axis] ?? 0) / length
  })
  return vectors
}

/** The inputs of a batch, filled up with zeros to its longest text. */
const inputsOf = ({ Tensor }: Runtime, batch: readonly Tokens[], width: number) => {
  const ids = new BigInt64Array(batch.length * width)
  const mask = new BigInt64Array(batch.length * width)
  batch.forEach((tokens, text) => {
    tokens.forEach((token, place) => {
      ids[text * width + place] = BigInt(token)
      mask[text * width + place] = 1n
    })
  })
  const tensor = (data: BigInt64Array) => new Tensor('int64', data, [batch.length, width])
  return { input_ids: tensor(ids), attention_mask: tensor(mask), token_type_ids: tensor(new BigInt64Array(ids.length)) }
}

/** Loads the model from the folder of its package; throws where its files are not the ones that are known. */
export const loadModel = async (
  folder: string,
  { threads, prefer }: { threads: number; prefer: 'native' | 'wasm' },
): Promise<Model> => {
  const [weights, vocabulary, settings] = await Promise.all([
    readModelFile(folder, 'model/onnx/model_quantized.onnx'),
    readModelFile(folder, 'model/tokenizer.json'),
    readModelFile(folder, 'model/tokenizer_config.json'),
  ])
  const tokenizer = new Tokenizer(JSON.parse(vocabulary.toString()), JSON.parse(settings.toString()))
  const native = prefer === 'native' ? await loadNative() : undefined
  const runtime = native ?? (await loadWasm(folder))
  const session = await runtime.InferenceSession.create(weights, {
    intraOpNumThreads: threads,
    // Threads that wait by spinning would keep a core from the service; the arena keeps the most memory ever used.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
    enableCpuMemArena: false,
  })
  return {
    runtime: native ? 'native' : 'wasm',
    tokenize: (text) => {
      const { ids } = tokenizer.encode(text.slice(0, mostCharacters))
      return ids.length <= mostTokens ? ids : [...ids.slice(0, mostTokens - 1), ids.at(-1) ?? 0]
    },
    run: async (batch) => {
      const width = Math.max(...batch.map((tokens) => tokens.length))
      const { last_hidden_state: hidden } = await session.run(inputsOf(runtime, batch, width))
      if (!(hidden?.data instanceof Float32Array)) throw new Error('The embedding model answered no vectors.')
      return meanOfTokens(hidden.data, batch, width)
    },
  }
}
