/**
 * What was done in memory since the last keep: the requests of a commit batch are tried one after another. One that fails
 * is taken back in everything that shares the log, and its neighbours go on.
 */
export class UndoLog {
  readonly #steps: (() => void)[] = []

  /** Notes how something that was done is taken back. */
  note(undo: () => void): void {
    this.#steps.push(undo)
  }

  /** Where the log stands: what is done from here on can be taken back alone. */
  mark(): number {
    return this.#steps.length
  }

  /** Makes what was done so far final. */
  keep(): void {
    this.#steps.length = 0
  }

  /** Takes back what was done since the mark, or since the last keep. */
  rollBack(mark = 0): void {
    for (const undo of this.#steps.splice(mark).reverse()) undo()
  }
}

/** A map whose changes can be taken back, together with everything else that shares its log. */
export class UndoMap<Key, Value> extends Map<Key, Value> {
  readonly #log: UndoLog

  constructor(log: UndoLog) {
    super()
    this.#log = log
  }

  /** Takes in what was so before anything was done. */
  know(key: Key, value: Value): void {
    super.set(key, value)
  }

  override set(key: Key, value: Value): this {
    this.#note(key)
    return super.set(key, value)
  }

  override delete(key: Key): boolean {
    if (!this.has(key)) return false
    this.#note(key)
    return super.delete(key)
  }

  #note(key: Key): void {
    const before = this.get(key)
    this.#log.note(() => {
      if (before === undefined) super.delete(key)
      else super.set(key, before)
    })
  }
}
