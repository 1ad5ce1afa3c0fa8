// Why no text comes from a file. The process that reads files sends only these words, never the text of a library's error.

export type Refusal =
  | 'broken'
  | 'encrypted'
  | 'memory'
  | 'no_text'
  | 'stopped'
  | 'time'
  | 'too_deep'
  | 'too_large'
  | 'too_long'
  | 'unsupported'

/** A file from which no text is extracted. */
export class FileRefused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(`The file is refused: ${refusal}.`)
    this.refusal = refusal
  }
}
