/** A file that the code may read. */
export type GivenFile = { path: string; bytes: Buffer }

/** The code to run, and what it works on. */
export type Code = {
  code: string
  /** JSON text of the constant `input`. */
  input: string
  files: readonly GivenFile[]
  /** The time that the code sees. */
  now: Date
  /** True if the code may write files. */
  mayWrite: boolean
}

/** The input of the process that runs JavaScript. */
export type CodeRequest = Pick<Code, 'code' | 'input' | 'mayWrite'> & {
  /** Texts by path. */
  files: Readonly<Record<string, string>>
  /** The time that the code sees, in milliseconds since 1970. */
  now: number
  seconds: number
  memoryBytes: number
}

/** The answer of that process. */
export type ScriptAnswer = {
  result?: string
  output: string
  files: { path: string; content: string }[]
  error?: string
}

export type WrittenFile = { path: string; content: Buffer }

/** The outcome of code. `result`: JSON text of the value of the last expression; `error`: the text of what the code threw. */
export type CodeAnswer = { result?: string; output: string; files: WrittenFile[]; error?: string }
