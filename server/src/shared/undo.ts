type Step = { map: Map<unknown, unknown>; key: unknown; before: unknown }

/**
 * What was done to some maps since the last keep: the write door tries the changes of a group in memory. A change that
 * fails is undone in all of them and its neighbours go on.
 */
export class UndoLog {
  readonly #steps: Step[] = []

  note(step: Step): void {
    this.#steps.push(step)
  }

  /** Makes what was done so far final. */
  keep(): void {
    this.#steps.length = 0
  }

  /** Takes back what was done since the last keep. */
  rollBack(): void {
    for (const { map, key, before } of this.#steps.reverse()) {
      if (before === undefined) map.delete(key)
      else map.set(key, before)
    }
    this.#steps.length = 0
  }
}

/** A map whose changes can be taken back, together with those of the maps that share its log. */
export class UndoMap<Key, Value> {
  readonly #values = new Map<Key, Value>()
  readonly #log: UndoLog

  constructor(log: UndoLog) {
    this.#log = log
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key)
  }

  get size(): number {
    return this.#values.size
  }

  values(): MapIterator<Value> {
    return this.#values.values()
  }

  /** Takes in what was so before anything was done. */
  know(key: Key, value: Value): void {
    this.#values.set(key, value)
  }

  set(key: Key, value: Value): void {
    this.#note(key)
    this.#values.set(key, value)
  }

  delete(key: Key): void {
    if (!this.#values.has(key)) return
    this.#note(key)
    this.#values.delete(key)
  }

  #note(key: Key): void {
    this.#log.note({ map: this.#values, key, before: this.#values.get(key) })
  }
}
