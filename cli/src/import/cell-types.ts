import { UsageError } from '../exit-codes.ts'

// The types of the columns of a CSV file, where everything is text. A column is a number only if each of its values is written
// as JSON would write it, so that the text can be had back: 007, 1.0 and +3 stay text unless the caller says otherwise.

const cellTypes = ['string', 'number', 'integer', 'boolean', 'json'] as const
export type CellType = (typeof cellTypes)[number]
export type CellTypes = ReadonlyMap<string, CellType>

const isPlainNumber = (text: string): boolean => {
  const value = Number(text)
  return String(value) === text && Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}

const isBoolean = (text: string): boolean => text === 'true' || text === 'false'

/** Finds the type of each column from all of its values. */
export const createInference = () => {
  const possible = new Map<string, CellType>()
  return {
    add: (name: string, text: string): void => {
      const before = possible.get(name)
      if (text === '' || before === 'string') return
      const type: CellType = isPlainNumber(text) ? 'number' : isBoolean(text) ? 'boolean' : 'string'
      possible.set(name, before === undefined || before === type ? type : 'string')
    },
    types: (): CellTypes => possible,
  }
}

/** Parses `amount:number,paid:boolean`. */
export const parseTypes = (given: string | undefined): CellTypes =>
  new Map(
    (given ?? '')
      .split(',')
      .filter((part) => part.trim() !== '')
      .map((part) => {
        const at = part.lastIndexOf(':')
        const type = cellTypes.find((known) => known === part.slice(at + 1).trim())
        if (at < 1 || !type)
          throw new UsageError(`--types: write name:type, and the type is one of ${cellTypes.join(', ')}.`)
        return [part.slice(0, at).trim(), type]
      }),
  )

const parseNumber = (text: string): number =>
  /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : Number.NaN

/** The value of a cell; throws with the reason if it is not of the type. */
export const toValue = (text: string, type: CellType): unknown => {
  switch (type) {
    case 'string':
      return text
    case 'number':
    case 'integer': {
      const value = parseNumber(text)
      if (!Number.isFinite(value) || (type === 'integer' && !Number.isSafeInteger(value)))
        throw new Error(`${JSON.stringify(text)} is no ${type}.`)
      return value
    }
    case 'boolean':
      if (!isBoolean(text)) throw new Error(`${JSON.stringify(text)} is neither true nor false.`)
      return text === 'true'
    case 'json':
      return JSON.parse(text)
  }
}
