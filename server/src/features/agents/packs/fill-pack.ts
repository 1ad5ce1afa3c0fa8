import {
  findValueProblem,
  type PackFile,
  type PackParameter,
  type ParameterValue,
  packFile,
  packLimits,
} from '@noema/contracts/pack-files.ts'
import { invalidArgument, refuseAt } from '../../../shared/errors.ts'

// The value of a parameter replaces {{name}} in texts of a pack. A text that is only {{name}} becomes the value, so that a number stays one.

type Values = ReadonlyMap<string, ParameterValue>

const mark = /\{\{([A-Za-z][A-Za-z0-9_]{0,62})\}\}/g
const onlyMark = /^\{\{([A-Za-z][A-Za-z0-9_]{0,62})\}\}$/

/** The bytes that filled texts may still add. */
type Room = { bytes: number }

const tooLarge = () =>
  refuseAt(
    ['parameters'],
    `With these values the pack has more than ${packLimits.filledBytes} bytes. Shorten them.`,
    {},
  )

const fillText = (text: string, values: Values, room: Room): ParameterValue => {
  const take = (value: ParameterValue): ParameterValue => {
    room.bytes -= Buffer.byteLength(String(value))
    if (room.bytes < 0) throw tooLarge()
    return value
  }
  const only = values.get(onlyMark.exec(text)?.[1] ?? '')
  if (only !== undefined) return take(only)
  return text.replaceAll(mark, (found, name: string) => {
    const value = values.get(name)
    return value === undefined ? found : String(take(value))
  })
}

const fillValue = (value: unknown, values: Values, room: Room): unknown => {
  if (typeof value === 'string') return fillText(value, values, room)
  if (Array.isArray(value)) return value.map((item) => fillValue(item, values, room))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fillValue(item, values, room)]))
}

/** The value of each parameter: the given one, or the default. */
export const chooseValues = (
  parameters: readonly PackParameter[],
  given: Readonly<Record<string, ParameterValue>>,
): Map<string, ParameterValue> => {
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  for (const name of Object.keys(given))
    if (!known.has(name)) throw invalidArgument(['parameters', name], 'The pack has no such parameter.')
  return new Map(
    parameters.map((parameter) => {
      const value = Object.hasOwn(given, parameter.name) ? given[parameter.name] : parameter.default
      if (value === undefined) throw invalidArgument(['parameters', parameter.name], 'The pack needs a value for it.')
      const problem = findValueProblem(parameter, value)
      if (problem !== undefined) throw invalidArgument(['parameters', parameter.name], problem)
      return [parameter.name, value]
    }),
  )
}

/** A pack with its parameters filled. It is checked again: a value can make a part of it wrong. */
export const fillPack = (file: PackFile, values: Values): PackFile => {
  if (values.size === 0) return file
  const { parameters, ...rest } = file
  const filled = fillValue(rest, values, { bytes: packLimits.filledBytes })
  const { data, error } = packFile.safeParse(filled)
  const [issue] = error?.issues ?? []
  if (!data)
    throw refuseAt(
      ['parameters'],
      `With these values the pack is wrong: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    )
  return { ...data, parameters }
}
