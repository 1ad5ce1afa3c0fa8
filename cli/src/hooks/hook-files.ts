import { isSettings, parseSettings, type Settings } from '../client-files.ts'
import { UsageError } from '../exit-codes.ts'
import type { HookClient, HookEntry } from './hook-clients.ts'

// Adds our hooks to the text of a client's file, and removes them. Other hooks and settings stay as they are.

type Form = Extract<HookClient, { form: unknown }>['form']
type Place = { file: string; form: Form; isOurs: (command: unknown) => boolean }

const byHand = 'add what --print shows by hand.'

const isOurEntry = ({ isOurs }: Place, entry: unknown): boolean => isSettings(entry) && isOurs(entry.command)

/** The hooks of an event without ours. A group that only had ours goes, too. */
const withoutOurs = (place: Place, list: readonly unknown[]): unknown[] => {
  if (!place.form.isGrouped) return list.filter((entry) => !isOurEntry(place, entry))
  return list.flatMap((group) => {
    if (!isSettings(group) || !Array.isArray(group.hooks)) return [group]
    const hooks = group.hooks.filter((entry) => !isOurEntry(place, entry))
    if (hooks.length === group.hooks.length) return [group]
    return hooks.length === 0 ? [] : [{ ...group, hooks }]
  })
}

const toItem = ({ form }: Place, entry: HookEntry): unknown => (form.isGrouped ? { hooks: [entry] } : entry)

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The hooks of an event with this one of ours. One that is there already stays in its place. */
const withOurs = (place: Place, list: readonly unknown[], entry: HookEntry): unknown[] => {
  const item = toItem(place, entry)
  const others = withoutOurs(place, list)
  const isThere = list.length === others.length + 1 && list.some((one) => isEqual(one, item))
  return isThere ? [...list] : [...others, item]
}

const readHooks = (file: string, settings: Settings): Record<string, unknown[]> => {
  const { hooks = {} } = settings
  if (!isSettings(hooks) || Object.values(hooks).some((list) => !Array.isArray(list)))
    throw new UsageError(`"hooks" of ${file} has a form that is not changed by a program: ${byHand}`)
  return hooks as Record<string, unknown[]>
}

/** The indentation of a file, which it keeps. */
const findIndent = (text: string): string => /^[{[]\r?\n([ \t]+)/.exec(text)?.[1] ?? '  '

const toText = (settings: Settings, text: string): string =>
  `${JSON.stringify(settings, undefined, findIndent(text))}${text === '' || text.endsWith('\n') ? '\n' : ''}`

const unlessEqual = (text: string, changed: Settings, settings: Settings): string =>
  text !== '' && isEqual(changed, settings) ? text : toText(changed, text)

/** Adds our hooks to the events; from other events they go. The same text comes back where they are all there. */
export const addHooks = (
  text: string,
  place: Place,
  { events, entry }: { events: readonly string[]; entry: HookEntry },
) => {
  const settings = parseSettings(place.file, text, byHand)
  const hooks = readHooks(place.file, settings)
  const names = [...new Set([...Object.keys(hooks), ...events])]
  const changed = names.flatMap((name): [string, unknown[]][] => {
    const list = hooks[name] ?? []
    const now = events.includes(name) ? withOurs(place, list, entry) : withoutOurs(place, list)
    return now.length === 0 && list.length > 0 ? [] : [[name, now]]
  })
  const base = Object.keys(settings).length === 0 ? place.form.base : {}
  return unlessEqual(text, { ...base, ...settings, hooks: Object.fromEntries(changed) }, settings)
}

/** Removes our hooks. Undefined if nothing is left that was not ours. */
export const removeHooks = (text: string, place: Place): string | undefined => {
  const settings = parseSettings(place.file, text, byHand)
  const hooks = readHooks(place.file, settings)
  const left = Object.entries(hooks).flatMap(([name, list]): [string, unknown[]][] => {
    const now = withoutOurs(place, list)
    return now.length === 0 && list.length > 0 ? [] : [[name, now]]
  })
  const isChanged = !isEqual(Object.fromEntries(left), hooks)
  if (!isChanged) return text
  const { hooks: _hooks, ...rest } = settings
  if (left.length === 0 && isEqual(rest, place.form.base)) return undefined
  return toText(left.length === 0 ? rest : { ...settings, hooks: Object.fromEntries(left) }, text)
}
