import type { BrainClient } from '@noema/sdk'
import { connectBrain } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { type DiffLine, diffValues } from '../diff.ts'
import { exitCodes } from '../exit-codes.ts'
import { printable, writeJson, writeLine, writeStyledLine } from '../output.ts'
import { createStyle, type Style } from '../style.ts'

type Change = Awaited<ReturnType<BrainClient['changes']['get']>>['change']
type Item = Change['items'][number]

const colors = { '-': 'red', '+': 'green', ' ': 'dim' } as const

const toMark = ({ before, after }: Item): string => {
  if (before === null) return '+'
  return after === null ? '-' : '~'
}

const describeTarget = ({ target }: Item): string => [target.type, target.kind, target.id].filter(Boolean).join(' ')

/** Fields that the service sets in every version. */
const bookkeeping = ['id', 'version', 'stateVersion', 'createdAt', 'updatedAt', 'hash', 'length']
const ownProvenance = ['change', 'key', 'actor']

/** The content of an item without the fields that do not matter for a decision. */
const withoutBookkeeping = (content: Item['before']): Record<string, unknown> | null => {
  if (content === null) return null
  const isShown = ([name, value]: [string, unknown]) =>
    !bookkeeping.includes(name) && !(Array.isArray(value) && value.length === 0)
  const { provenance, ...rest } = content
  const shown = Object.fromEntries(Object.entries(rest).filter(isShown))
  if (typeof provenance !== 'object' || provenance === null) return shown
  const source = Object.entries(provenance).filter(([name]) => !ownProvenance.includes(name))
  return { ...shown, provenance: Object.fromEntries(source) }
}

/** The counterpart or the place of a flag, in words. */
const describeFinding = ({ flag, path, credential, statement, item }: NonNullable<Item['findings']>[number]): string =>
  `${flag}: ${[statement, item && `${item.type} ${item.id}`, credential, path && `in ${path}`].filter(Boolean).join(' ')}`

const writeItem = async (
  { stdout }: Context,
  item: Item,
  { style, isConflict }: { style: Style; isConflict: boolean },
) => {
  const notes = [...item.flags, ...(isConflict ? ['conflict'] : []), ...(item.cut ? ['shortened'] : [])]
  const title = `${toMark(item)} ${describeTarget(item)}  [${item.item}]`
  const noted = notes.length > 0 ? style('yellow', `  ${printable(notes.join(', '))}`) : ''
  await writeStyledLine(stdout, `${style('bold', printable(title))}${noted}`)
  const write = ({ mark, text }: DiffLine) =>
    writeStyledLine(stdout, `  ${style(colors[mark], `${mark} ${printable(text)}`)}`)
  for (const finding of item.findings ?? [])
    await writeStyledLine(stdout, style('yellow', `  ! ${printable(describeFinding(finding))}`))
  for (const line of diffValues(withoutBookkeeping(item.before), withoutBookkeeping(item.after))) await write(line)
}

/** Shows a change as a comparison of before and after, an item at a time, each with the name that `--items` takes. */
export const showChange = async (
  context: Context,
  id: string,
  options: GlobalOptions & { brain?: string },
): Promise<number> => {
  const { stdout, stderr, signal, env } = context
  const { brain, handle } = connectBrain(context, options)
  const { change } = await brain.changes.get(id, { signal })
  if (options.json) {
    await writeJson(stdout, change)
    return exitCodes.ok
  }
  const style = createStyle(stdout, env)
  await writeLine(stdout, `${change.id}  ${change.decision}, ${change.application.replace('_', ' ')}`)
  await writeLine(stdout, `staged by ${change.stagedBy} at ${change.createdAt}, on state ${change.baseStateVersion}`)
  if (change.reason) await writeLine(stdout, `reason: ${change.reason}`)
  if (change.decidedBy) await writeLine(stdout, `decided by ${change.decidedBy} at ${change.decidedAt ?? ''}`)
  for (const item of change.items) {
    await writeLine(stdout, '')
    await writeItem(context, item, { style, isConflict: change.conflicts.includes(item.item) })
  }
  for (const { text, by, at } of change.comments)
    await writeStyledLine(stdout, `\n${style('bold', printable(`comment by ${by.id} at ${at}`))}\n${printable(text)}`)
  if (change.outdated)
    await writeLine(stderr, `noema: Its base has changed: noema changes rebase ${id} --brain ${handle}`)
  if (change.decision === 'pending' && stdout.isTTY) {
    await writeLine(stderr, '')
    await writeLine(stderr, `Decide: noema changes approve ${id} --brain ${handle}`)
    await writeLine(stderr, `        noema changes reject ${id} --brain ${handle}`)
  }
  return exitCodes.ok
}
