import type { TextKind } from './types.ts'

// The messages between the service and its embedding process.

/** The build of ONNX Runtime that runs the model: `native`, or `wasm` where there is none for this machine. */
export type Build = 'native' | 'wasm'

/** The arguments of a process. */
export type ProcessOptions = {
  /** The folder of the model that the operator chose; the built-in model where there is none. */
  chosenFolder: string | undefined
  /** The folder of the built-in model's package; the installed one where there is none. */
  builtInFolder: string | undefined
  /** The build that is tried first. */
  prefer: Build
}

export type ToProcess = { id: number; texts: readonly string[]; kind: TextKind }

/** A loaded model. */
export type Loaded = {
  runtime: Build
  space: string
  dimensions: number
  /** The bytes of its weights. */
  bytes: number
}

export type FromProcess =
  | ({ is: 'ready' } & Loaded)
  /** The model cannot be loaded; it would fail again. */
  | { is: 'failed'; reason: string }
  /** The vectors of a request, one after the other. */
  | { is: 'done'; id: number; vectors: Float32Array }
  | { is: 'refused'; id: number; reason: string }
