/** Who holds something that a node has only so much of: an organization, and the key or person that acts for it. */
export type Holder = { organization: string; key: string }

/** How much there is on the node, how much of it one organization may hold, and how much one key. */
export type ShareLimits = { node: number; organization: number; key: number }

/** Something that a node has only so much of, such as places for streams or bytes of bodies. */
export type Shares = {
  /** Takes some of it at once, and answers how to give it back; undefined where the holder may have no more now. */
  take(holder: Holder, amount?: number): (() => void) | undefined
  /** How much is held by all. */
  held(): number
  /** Sets how much there is on the node; what is held stays held. */
  resize(node: number): void
}

/** How much each holder has. Who has nothing is not remembered. */
const createTally = () => {
  const amounts = new Map<string, number>()
  return {
    get: (name: string): number => amounts.get(name) ?? 0,
    add: (name: string, amount: number): void => {
      const sum = (amounts.get(name) ?? 0) + amount
      if (sum <= 0) amounts.delete(name)
      else amounts.set(name, sum)
    },
  }
}

/**
 * Divides something among holders. Beside its own limits, no organization takes more than stays free for the others
 * (dynamic thresholds; Choudhury and Hahne, 1998): one alone gets half, many get equal shares, whoever holds most is refused
 * first, and a newcomer finds room. Who holds nothing may take the last of it.
 */
export const createShares = (limits: ShareLimits): Shares => {
  const [organizations, keys] = [createTally(), createTally()]
  let { node } = limits
  let held = 0
  const mayTake = ({ organization, key }: Holder, amount: number): boolean => {
    const before = organizations.get(organization)
    const free = node - held
    if (amount > free || keys.get(key) + amount > limits.key || before + amount > limits.organization) return false
    return before === 0 || before + amount <= free - amount
  }
  const add = ({ organization, key }: Holder, amount: number): void => {
    held += amount
    organizations.add(organization, amount)
    keys.add(key, amount)
  }
  return {
    take: (holder, amount = 1) => {
      if (!mayTake(holder, amount)) return undefined
      add(holder, amount)
      let isHeld = true
      return () => {
        if (isHeld) add(holder, -amount)
        isHeld = false
      }
    },
    held: () => held,
    resize: (size) => {
      node = size
    },
  }
}
