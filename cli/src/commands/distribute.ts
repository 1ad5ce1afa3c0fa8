import { toSize } from '@noema/contracts/sizes.ts'
import type { Context, GlobalOptions, PlannedTable } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { parseNumber } from '../parse-options.ts'
import { type Column, writeTable } from '../table.ts'

const toDuration = (seconds: number): string =>
  seconds < 100 ? `${seconds.toFixed(1)} s` : `${(seconds / 60).toFixed(seconds < 600 ? 1 : 0)} min`

const columns: Column<PlannedTable>[] = [
  { title: 'TABLE', value: ({ table }) => table },
  { title: 'SIZE', value: ({ bytes }) => toSize(bytes) },
  {
    title: 'TIME',
    value: ({ isDistributed, estimatedSeconds }) => (isDistributed ? 'done' : toDuration(estimatedSeconds)),
  },
]

/** Distributes the database over the servers of a cluster, or shows with `--dry-run` what that would take. */
export const distribute = async (
  context: Context,
  options: GlobalOptions & { dryRun?: boolean; shards?: string },
): Promise<number> => {
  const { cwd, env, stdout, stderr } = context
  const dryRun = options.dryRun === true
  const shards = parseNumber(options.shards, '--shards')
  const report = ({ table, bytes, seconds }: PlannedTable & { seconds: number }) =>
    options.json ? undefined : writeLine(stderr, `${table}: ${toSize(bytes)} in ${toDuration(seconds)}`)
  const { distributeDatabase } = await context.loadDistribution()
  const result = await distributeDatabase({ dryRun, shards, report, cwd, env })
  const { place, servers, tables, isDone } = result
  if (options.json) {
    await writeJson(stdout, result)
    return exitCodes.ok
  }
  if (dryRun && tables.length > 0) await writeTable(context, options, { rows: tables, columns })
  const total = tables.reduce((sum, { estimatedSeconds }) => sum + estimatedSeconds, 0)
  const over = `the ${servers.length} ${servers.length === 1 ? 'server' : 'servers'} ${servers.join(', ')}`
  if (isDone) await writeLine(stderr, `The Brains of ${place} are distributed over ${over}.`)
  else if (tables.length === 0)
    await writeLine(stderr, `${place} is empty. Its tables will be created and distributed.`)
  else await writeLine(stderr, `About ${toDuration(total)} to distribute the Brains of ${place} over ${over}.`)
  return exitCodes.ok
}
