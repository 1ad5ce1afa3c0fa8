import type { AppDeps } from '../api/app-deps.ts'
import type { LeasedRow, LeasedWork } from '../shared/concurrency/leased-work.ts'
import { createTurns } from '../workers/turns.ts'

/** Runs a pass of some background work by hand. */
export const runPass = async <Row extends LeasedRow, Outcome>(deps: AppDeps, work: LeasedWork<Row, Outcome>) => {
  const turns = createTurns(deps, work)
  if (!turns.pass) throw new Error(`${work.name} waits for others, so its end cannot be observed.`)
  await turns.pass()
  await turns.stop()
}
