import type { RunShare, SharedPart } from '@noema/contracts/shared-runs.ts'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { parseListLimit } from '../parse-options.ts'
import { type Column, writeList } from '../table.ts'

const dayMilliseconds = 86_400_000

const parseDays = (text: string): string => {
  const days = Number(text)
  if (!Number.isInteger(days) || days < 1 || days > 90) throw new UsageError('--days is a whole number from 1 to 90.')
  // A moment less: the clock of the service may be behind.
  return new Date(Date.now() + days * dayMilliseconds - 60_000).toISOString()
}

type SharingOptions = GlobalOptions & { days?: string; include?: SharedPart[] }

/** Makes a link by which anyone can read a run, and prints it. */
export const shareRun = async (context: Context, run: string, options: SharingOptions): Promise<number> => {
  const body = {
    ...(options.days === undefined ? {} : { expiresAt: parseDays(options.days) }),
    ...(options.include === undefined ? {} : { include: options.include }),
  }
  const made = await connectClient(context, options).runs.share(run, body, { signal: context.signal })
  if (options.json) await writeJson(context.stdout, made)
  else {
    await writeLine(context.stdout, made.url)
    await writeLine(context.stderr, `It works until ${made.share.expiresAt}, for anyone who has it.`)
  }
  return exitCodes.ok
}

const columns: Column<RunShare>[] = [
  { title: 'LINK', value: ({ id }) => id },
  { title: 'RUN', value: ({ runId }) => runId },
  { title: 'VIEWS', value: ({ views }) => String(views) },
  { title: 'ENDS', value: ({ revokedAt, expiresAt }) => (revokedAt === null ? expiresAt : `revoked ${revokedAt}`) },
]

/** Lists the links to runs. */
export const listShares = async (
  context: Context,
  run: string | undefined,
  options: GlobalOptions & { limit?: string },
): Promise<number> => {
  const { limit, page } = parseListLimit(options.limit)
  const query = { limit: page, ...(run === undefined ? {} : { runId: run }) }
  const list = connectClient(context, options).sharedRuns.list(query, { signal: context.signal })
  await writeList(context, options, { list, columns, limit, none: 'There are no links to runs.' })
  return exitCodes.ok
}

/** Revokes a link to a run. */
export const revokeShare = async (context: Context, link: string, options: GlobalOptions): Promise<number> => {
  await connectClient(context, options).sharedRuns.revoke(link, { signal: context.signal })
  await writeLine(context.stderr, `${link} does not work any more.`)
  return exitCodes.ok
}
