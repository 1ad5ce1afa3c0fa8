// What the service and its embedding process tell each other.

/** The build of ONNX Runtime that runs the model: `native`, or `wasm` where there is none for this machine. */
export type Build = 'native' | 'wasm'

export type ToProcess = { id: number; texts: readonly string[]; when: 'now' | 'later' }

export type FromProcess =
  | { is: 'ready'; runtime: Build }
  /** The model cannot be loaded; it would fail again. */
  | { is: 'failed'; reason: string }
  /** The vectors of a request, one after the other. */
  | { is: 'done'; id: number; vectors: Float32Array }
  | { is: 'refused'; id: number; reason: string }
