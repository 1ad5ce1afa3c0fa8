/** Places for work of many tenants, of which each may take only some. Who has the fewest goes first, then who had a turn longest ago. */
export type TenantTurns = {
  /** Runs a task once there is a place for its tenant. */
  run<Result>(tenant: string, task: () => Promise<Result>): Promise<Result>
  isIdle(): boolean
}

type Line = { running: number; waiting: (() => void)[] }

export const createTenantTurns = ({ places, ofTenant }: { places: number; ofTenant: number }): TenantTurns => {
  // A map keeps the order in which its names were added: whoever had a turn goes to the end.
  const lines = new Map<string, Line>()
  let running = 0
  /** The first of the next line that may have a place. */
  const takeNext = (): (() => void) | undefined => {
    let chosen: [string, Line] | undefined
    for (const [tenant, line] of lines)
      if (line.waiting.length > 0 && line.running < (chosen?.[1].running ?? ofTenant)) chosen = [tenant, line]
    if (!chosen) return undefined
    const [tenant, line] = chosen
    line.running++
    lines.delete(tenant)
    lines.set(tenant, line)
    return line.waiting.shift()
  }
  const letIn = (): void => {
    while (running < places) {
      const next = takeNext()
      if (!next) return
      running++
      next()
    }
  }
  const leave = (tenant: string, line: Line): void => {
    running--
    line.running--
    if (line.running + line.waiting.length === 0) lines.delete(tenant)
    letIn()
  }
  return {
    run: async (tenant, task) => {
      const line = lines.get(tenant) ?? { running: 0, waiting: [] }
      lines.set(tenant, line)
      await new Promise<void>((enter) => {
        line.waiting.push(enter)
        letIn()
      })
      return task().finally(() => leave(tenant, line))
    },
    isIdle: () => lines.size === 0,
  }
}
