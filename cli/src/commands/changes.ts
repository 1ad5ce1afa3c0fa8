import type { BrainClient, Client } from '@noema/sdk'
import { connectBrain, connectClient, findConnection } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { parseListLimit, splitList } from '../parse-options.ts'
import { type Column, writeList } from '../table.ts'

type Changes = BrainClient['changes']
type Change = Awaited<ReturnType<Changes['list']>>['changes'][number]
type OrganizationChange = Awaited<ReturnType<Client['changes']['list']>>['changes'][number]
type Settled = Awaited<ReturnType<Changes['decide']>>

type Shared = GlobalOptions & { brain?: string; reason?: string; key?: string }
type ListOptions = Shared & {
  decision?: Change['decision']
  application?: Change['application']
  limit?: string
  all?: boolean
}
type DecideOptions = Shared & { items?: string; publish?: boolean; publishAt?: string }

/** The values of `--decision` and `--application`. */
export const decisions = ['pending', 'approved', 'rejected', 'superseded'] as const satisfies Change['decision'][]
export const applications = [
  'not_applied',
  'scheduled',
  'blocked',
  'applied',
  'cancelled',
] as const satisfies Change['application'][]

const describe = ({ decision, application }: Change): string => {
  if (decision === 'pending') return 'pending'
  return application === 'applied' ? 'applied' : `${decision}, ${application.replace('_', ' ')}`
}

const columns: Column<Change>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'STATE', value: describe },
  { title: 'ITEMS', value: ({ itemCount }) => itemCount },
  { title: 'CREATED', value: ({ createdAt }) => createdAt },
  { title: 'REASON', value: ({ reason }) => reason, shrinks: true },
]

const organizationColumns: Column<OrganizationChange>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'BRAIN', value: ({ brain }) => brain.handle, shrinks: true },
  { title: 'STATE', value: describe },
  { title: 'WHAT', value: ({ operations }) => toCounts(operations), shrinks: true },
  { title: 'BY', value: ({ stagedByName, stagedBy }) => stagedByName ?? stagedBy, shrinks: true },
]

const toCounts = (operations: Record<string, number>): string =>
  Object.entries(operations)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')

/** Lists changes, the newest first: those of a Brain, or of all Brains. Pending ones by default. */
export const listChanges = async (context: Context, options: ListOptions): Promise<number> => {
  const { signal } = context
  const { limit, page } = parseListLimit(options.limit)
  const { application } = options
  const decision = options.decision ?? (options.all || application ? undefined : 'pending')
  const query = { decision, application, limit: page, order: 'desc' as const }
  const none = decision === 'pending' ? 'Nothing waits for review.' : 'There is no such change.'
  const client = connectClient(context, options)
  const handle = options.brain ?? findConnection(context, options).brain
  if (handle === undefined)
    await writeList(context, options, {
      ...{ limit, none },
      list: client.changes.list(query, { signal }),
      columns: organizationColumns,
    })
  else {
    const list = client.brain(handle).changes.list(query, { signal })
    await writeList(context, options, { ...{ limit, none }, list, columns })
  }
  return exitCodes.ok
}

const reportSettled = async (
  { stdout, stderr }: Context,
  options: GlobalOptions,
  { change, staged, stateVersion }: Settled,
) => {
  if (options.json) return writeJson(stdout, { change, staged, stateVersion })
  const at = stateVersion === null ? '' : `, state version ${stateVersion}`
  await writeLine(stderr, `${change.id}: ${describe(change)}${at}.`)
  for (const rest of staged) await writeLine(stderr, `The rest of its items wait as ${rest.id}.`)
  if (change.blockedBy) await writeLine(stderr, `noema: It could not be applied: ${change.blockedBy}`)
}

const parsePublish = ({ publish, publishAt }: DecideOptions): boolean | string => {
  if (publishAt !== undefined && publish === false)
    throw new UsageError('Choose one of --no-publish and --publish-at, not both.')
  return publishAt ?? publish ?? true
}

/** Approves a change, or some of its items: those are applied at once by default. */
export const decide = async (
  context: Context,
  [id, decision]: [string, 'approved' | 'rejected'],
  options: DecideOptions,
): Promise<number> => {
  const { brain } = connectBrain(context, options)
  const items = splitList(options.items)
  const body = {
    decision,
    ...(items === undefined ? {} : { items }),
    ...(options.reason === undefined ? {} : { reason: options.reason }),
    ...(decision === 'approved' ? { publish: parsePublish(options) } : {}),
  }
  const call = { signal: context.signal, idempotencyKey: options.key }
  await reportSettled(context, options, await brain.changes.decide(id, body, call))
  return exitCodes.ok
}

/** Publishes, cancels or rebases a change. */
export const settle = async (
  context: Context,
  [id, verb]: [string, 'publish' | 'cancel' | 'rebase'],
  options: Shared,
): Promise<number> => {
  const { changes } = connectBrain(context, options).brain
  const call = { signal: context.signal, idempotencyKey: options.key }
  const reason = options.reason === undefined ? {} : { reason: options.reason }
  const settled = verb === 'cancel' ? changes.cancel(id, reason, call) : changes[verb](id, call)
  await reportSettled(context, options, await settled)
  return exitCodes.ok
}

/** Takes an applied change back by another one. */
export const revert = async (context: Context, id: string, options: Shared): Promise<number> => {
  const { brain, handle } = connectBrain(context, options)
  const reason = options.reason === undefined ? {} : { reason: options.reason }
  const call = { signal: context.signal, idempotencyKey: options.key }
  const answer = await brain.changes.revert(id, reason, call)
  if (options.json) await writeJson(context.stdout, answer)
  else {
    await writeLine(context.stdout, answer.change.id)
    const waits = answer.outcome === 'staged'
    const next = `noema changes show ${answer.change.id} --brain ${handle}`
    await writeLine(context.stderr, waits ? `The revert waits for review: ${next}` : `Reverted ${id}.`)
  }
  return exitCodes.ok
}
