import type { TextKind } from './types.ts'

// The messages between the service and a process that runs a model.

/** The build of ONNX Runtime that runs the model: `native`, or `wasm` where there is none for this machine. */
export type Build = 'native' | 'wasm'

/** The use of a model: vectors of texts, or the relevance of texts to a query. */
export type Task = 'embed' | 'rerank'

/** The arguments of a process. */
export type ProcessOptions = {
  task: Task
  /** The folder of the model that the operator chose; the built-in model where there is none. */
  chosenFolder: string | undefined
  /** The folder of the built-in model's package; the installed one where there is none. */
  builtInFolder: string | undefined
  /** The build that is tried first. */
  prefer: Build
}

/** `query`: what a reranking model compares the texts with. */
export type ToProcess = { id: number; texts: readonly string[]; kind: TextKind; query: string | undefined }

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
  /** The numbers of a request's texts, one text after the other. */
  | { is: 'done'; id: number; numbers: Float32Array }
  | { is: 'refused'; id: number; reason: string }
