import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { readBuiltInFile } from './built-in-model.ts'
import type { Build } from './process-messages.ts'

/** The part of ONNX Runtime that models use, of any build. */
export type Runtime = {
  build: Build
  InferenceSession: { create(model: Uint8Array, options: InferenceSession.SessionOptions): Promise<InferenceSession> }
  Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => Tensor
}

const wasmFolder = 'vendor/onnxruntime-web'

/** The build in the package of the built-in model: one thread and about a tenth as fast, but it runs anywhere. */
const loadWasm = async (folder: string): Promise<Runtime> => {
  const [wasm] = await Promise.all([
    readBuiltInFile(folder, `${wasmFolder}/ort-wasm-simd-threaded.wasm`),
    readBuiltInFile(folder, `${wasmFolder}/ort-wasm-simd-threaded.mjs`),
    readBuiltInFile(folder, `${wasmFolder}/ort.wasm.min.mjs`),
  ])
  const runtime = await import(pathToFileURL(join(folder, wasmFolder, 'ort.wasm.min.mjs')).href)
  runtime.env.wasm.numThreads = 1
  runtime.env.wasm.wasmPaths = pathToFileURL(`${join(folder, wasmFolder)}/`).href
  runtime.env.wasm.wasmBinary = wasm
  return { build: 'wasm', InferenceSession: runtime.InferenceSession, Tensor: runtime.Tensor }
}

// A published Noema comes with the package of its one platform.
const ofPlatform = `@noema/onnxruntime-${process.platform}-${process.arch}`

const loadNative = async (): Promise<Runtime | undefined> => {
  const runtime = await import(ofPlatform).catch(() => import('onnxruntime-node')).catch(() => undefined)
  return runtime && { build: 'native', InferenceSession: runtime.InferenceSession, Tensor: runtime.Tensor }
}

/** Loads the preferred build, or the one that runs anywhere, from the folder of the built-in model's package. */
export const loadRuntime = async (prefer: Build, builtInFolder: () => string): Promise<Runtime> => {
  const native = prefer === 'native' ? await loadNative() : undefined
  return native ?? loadWasm(builtInFolder())
}
