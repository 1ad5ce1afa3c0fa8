import type { Reporter, TestModule } from 'vitest/node'

/** Why tests were skipped, each reason once with how many it kept from running, the reason of most first. */
const listSkipped = (modules: readonly TestModule[]): { reason: string; count: number }[] => {
  const counts = new Map<string, number>()
  for (const module of modules)
    for (const test of module.children.allTests('skipped')) {
      const result = test.result()
      const reason = result.state === 'skipped' ? result.note : undefined
      // Tests that the run's filter excluded have no reason.
      if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1)
    }
  return [...counts].map(([reason, count]) => ({ reason, count })).sort((one, other) => other.count - one.count)
}

/** Prints at the end of a run which tests were skipped and what they need: a green line must not hide a missing browser. */
export const skippedTests: Reporter = {
  onTestRunEnd: (modules) => {
    for (const { reason, count } of listSkipped(modules))
      process.stdout.write(`\n Skipped ${count} ${count === 1 ? 'test' : 'tests'}: ${reason}\n`)
  },
}
