import type { BrainClient } from '@noema/sdk'
import { connectBrain } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { readJsonInput } from '../parse-options.ts'
import { type Column, writeTable } from '../table.ts'
import { parseField, parseLink } from './parse-declarations.ts'

type Schema = Awaited<ReturnType<BrainClient['schema']['get']>>['schema']
type Evolution = Parameters<BrainClient['schema']['evolve']>[0]
type Operation = Evolution['operations'][number]
type Promotion = Parameters<BrainClient['schema']['promote']>[0]
type Proposed = Awaited<ReturnType<BrainClient['schema']['evolve']>>

type Shared = GlobalOptions & { brain?: string; reason?: string; approve?: boolean; key?: string }
export type EvolveOptions = Shared & {
  kind?: string
  field?: string[]
  link?: string[]
  retireField?: string[]
  retireLink?: string[]
  retire?: boolean
  strict?: boolean
  file?: string
}
export type PromoteOptions = Shared & { as?: NonNullable<Promotion['as']> }

/** The types that `--as` takes. */
export const promotableTypes = [
  ...['string', 'text', 'integer', 'number', 'boolean', 'date', 'datetime', 'json'],
] as const satisfies string[]

/** The operations that the options mean, for a kind that the schema declares or not. */
const toOperations = (schema: Schema, options: EvolveOptions & { kind: string }): Operation[] => {
  const { kind, field = [], link = [], retireField = [], retireLink = [], retire, strict } = options
  const declared = schema.kinds.find((one) => one.kind === kind)
  if (retire) return [{ op: 'retireKind', kind }]
  const hasField = (name: string) => declared?.fields.some((one) => one.name === name) ?? false
  return [
    ...(declared ? [] : [{ op: 'addKind' as const, kind }]),
    ...retireField.map((name): Operation => ({ op: 'retireField', kind, name })),
    ...retireLink.map((predicate): Operation => ({ op: 'retireLink', kind, predicate })),
    ...field
      .map(parseField)
      .map((one): Operation => ({ op: hasField(one.name) ? 'setField' : 'addField', kind, field: one })),
    ...link.map((one): Operation => ({ op: 'addLink', kind, link: parseLink(one) })),
    ...(strict === undefined ? [] : [{ op: 'setStrict' as const, kind, strict }]),
  ]
}

/** A file has the body of a proposal, or its operations alone. */
const readEvolution = async (context: Context, file: string): Promise<Partial<Evolution>> => {
  const given = await readJsonInput<Partial<Evolution> | Operation[]>(context, file)
  return Array.isArray(given) ? { operations: given } : given
}

const toEvolution = async (context: Context, brain: BrainClient, options: EvolveOptions): Promise<Evolution> => {
  const { kind, file, reason } = options
  if (file === undefined && kind === undefined)
    throw new UsageError('What changes? Name --kind and --field, or --file.')
  const given = file === undefined ? {} : await readEvolution(context, file)
  const { schema } = await brain.schema.get({}, { signal: context.signal })
  const typed = kind === undefined ? [] : toOperations(schema, { ...options, kind })
  const operations = [...(given.operations ?? []), ...typed]
  if (operations.length === 0)
    throw new UsageError(`The kind ${kind} is declared already. Name what changes: --field, --link, --strict.`)
  return { baseVersion: schema.schemaVersion, ...given, operations, ...(reason === undefined ? {} : { reason }) }
}

const columns: Column<Proposed['items'][number]>[] = [
  { title: 'NAME', value: ({ target }) => target.id },
  { title: 'EFFECT', value: ({ tag }) => tag },
  { title: 'DO NOT COMPLY', value: ({ violations }) => violations || '' },
]

/** Prints what a proposal would do, and publishes it if the command says so. */
const finishProposal = async (
  context: Context,
  { brain, handle, proposed, options }: { brain: BrainClient; handle: string; proposed: Proposed; options: Shared },
): Promise<number> => {
  const { stdout, stderr, signal } = context
  const { change, items } = proposed
  const approval = {
    decision: 'approved' as const,
    ...(options.reason === undefined ? {} : { reason: options.reason }),
  }
  const decided = options.approve ? await brain.changes.decide(change.id, approval, { signal }) : undefined
  if (options.json) {
    await writeJson(stdout, decided ?? proposed)
    return exitCodes.ok
  }
  await writeTable(context, options, { rows: items, columns })
  if (!decided) await writeLine(stderr, `It waits for review: noema changes approve ${change.id} --brain ${handle}`)
  else if (decided.change.application === 'applied')
    await writeLine(stderr, 'Published. Indexes of new fields are being built.')
  else {
    await writeLine(
      stderr,
      `noema: It is approved but not published: noema changes show ${change.id} --brain ${handle}`,
    )
    return exitCodes.conflict
  }
  return exitCodes.ok
}

/** Proposes a change of the schema: typed as options, or as a file of operations. */
export const evolveSchema = async (context: Context, options: EvolveOptions): Promise<number> => {
  const { brain, handle } = connectBrain(context, options)
  const evolution = await toEvolution(context, brain, options)
  const { signal } = context
  const proposed = await brain.schema.evolve(evolution, { signal, idempotencyKey: options.key })
  return finishProposal(context, { brain, handle, proposed, options })
}

/** Proposes to declare what records have and the schema does not: `order` or `order/status`. */
export const promoteEmerged = async (context: Context, names: string[], options: PromoteOptions): Promise<number> => {
  const { brain, handle } = connectBrain(context, options)
  const { as, reason, key } = options
  const { signal } = context
  const proposed = await brain.schema.promote({ emerged: names, as, reason }, { signal, idempotencyKey: key })
  return finishProposal(context, { brain, handle, proposed, options })
}
