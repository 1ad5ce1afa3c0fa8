import type { Statement } from '@noema/contracts/statements.ts'

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

const format = (iso: string): string => day.format(new Date(iso))

/** The time for which a statement holds, in words. */
export const describeValidity = ({ validFrom, validTo }: Pick<Statement, 'validFrom' | 'validTo'>): string => {
  if (validFrom === null && validTo === null) return 'always'
  if (validTo === null) return `since ${format(validFrom ?? '')}`
  return validFrom === null ? `until ${format(validTo)}` : `${format(validFrom)} to ${format(validTo)}`
}

/** The confidence of the writer, in words. */
export const describeConfidence = (confidence: number | null): string =>
  confidence === null ? 'not given' : `${Math.round(confidence * 100)} %`
