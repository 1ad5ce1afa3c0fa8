/**
 * A map whose changes can be taken back: what the write door edits in memory while it tries the changes of a group.
 * A change that fails is undone and its neighbours go on.
 */
export class UndoMap<Key, Value> {
  readonly #values = new Map<Key, Value>()
  #undo: (() => void)[] = []

  get(key: Key): Value | undefined {
    return this.#values.get(key)
  }

  get size(): number {
    return this.#values.size
  }

  values(): MapIterator<Value> {
    return this.#values.values()
  }

  set(key: Key, value: Value): void {
    const before = this.#values.get(key)
    this.#undo.push(() => {
      if (before === undefined) this.#values.delete(key)
      else this.#values.set(key, before)
    })
    this.#values.set(key, value)
  }

  /** Makes what was set so far final. */
  keep(): void {
    this.#undo = []
  }

  /** Takes back what was set since the last keep. */
  rollBack(): void {
    for (const undo of this.#undo.reverse()) undo()
    this.#undo = []
  }
}
