import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Tokenizer } from '@huggingface/tokenizers'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { readModelFile } from './model-files.ts'
import type { Build } from './process-messages.ts'

// all-MiniLM-L6-v2, its weights in 8 bits: the mean of what it makes of a text's tokens, brought to length 1. It was
// trained on texts of up to 256 tokens and reads no further.

export const dimensions = 384
const maxTokens = 256

// A word of the vocabulary is a few characters long; what is beyond this is beyond the tokens that are read, and would
// only cost the time to split it.
const maxCharacters = 256 * 24

/** What ONNX Runtime is to this file, whichever build of it was loaded. */
type Runtime = {
  InferenceSession: { create(model: Uint8Array, options: InferenceSession.SessionOptions): Promise<InferenceSession> }
  Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => Tensor
}

export type Model = {
  runtime: Build
  /**
   * The vector of a text. Texts are not put together: the weights of 8 bits are applied on a scale that all texts of a batch
   * share, so that a text's vector would depend on its company, and long texts take twice as long with padding.
   */
  embed(text: string): Promise<Float32Array>
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

// What is published of Noema comes with a package of the one platform that it runs on.
const ofPlatform = `@noema/onnxruntime-${process.platform}-${process.arch}`

const loadNative = (): Promise<Runtime | undefined> =>
  import(ofPlatform).catch(() => import('onnxruntime-node')).catch(() => undefined)

/** The mean of a text's token vectors, at length 1. */
const poolMean = (hidden: Float32Array): Float32Array => {
  const vector = new Float32Array(dimensions)
  for (let place = 0; place < hidden.length; place++) {
    const axis = place % dimensions
    vector[axis] = (vector[axis] ?? 0) + (hidden[place] ?? 0)
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1
  return vector.map((value) => value / length)
}

/** Loads the model from the folder of its package; throws where its files are not the ones that are known. */
export const loadModel = async (folder: string, prefer: Build): Promise<Model> => {
  const [weights, vocabulary, settings] = await Promise.all([
    readModelFile(folder, 'model/onnx/model_quantized.onnx'),
    readModelFile(folder, 'model/tokenizer.json'),
    readModelFile(folder, 'model/tokenizer_config.json'),
  ])
  const tokenizer = new Tokenizer(JSON.parse(vocabulary.toString()), JSON.parse(settings.toString()))
  const native = prefer === 'native' ? await loadNative() : undefined
  const runtime = native ?? (await loadWasm(folder))
  const session = await runtime.InferenceSession.create(weights, {
    // Short texts are no faster on two threads; two at once are. The arena keeps the most memory ever used.
    intraOpNumThreads: 1,
    enableCpuMemArena: false,
  })
  return {
    runtime: native ? 'native' : 'wasm',
    embed: async (text) => {
      const { ids } = tokenizer.encode(text.slice(0, maxCharacters))
      const tokens = ids.length <= maxTokens ? ids : [...ids.slice(0, maxTokens - 1), ids.at(-1) ?? 0]
      const tensor = (data: BigInt64Array) => new runtime.Tensor('int64', data, [1, tokens.length])
      const { last_hidden_state: hidden } = await session.run({
        input_ids: tensor(BigInt64Array.from(tokens, BigInt)),
        attention_mask: tensor(new BigInt64Array(tokens.length).fill(1n)),
        token_type_ids: tensor(new BigInt64Array(tokens.length)),
      })
      if (!(hidden?.data instanceof Float32Array)) throw new Error('The embedding model returned no vectors.')
      return poolMean(hidden.data)
    },
  }
}
