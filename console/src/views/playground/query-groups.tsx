import { isObject } from '@noema/contracts/json.ts'
import type { QueryGroup } from '@noema/contracts/query.ts'
import type { SchemaField, SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { Select } from '../../components/field.tsx'
import type { Aggregate } from '../../data/retrieval.ts'
import { toAmount } from '../../plural.ts'

const intervals = ['hour', 'day', 'week', 'month', 'year'] as const

const isTime = ({ type }: SchemaField): boolean => type === 'date' || type === 'datetime'
const isNumber = ({ type }: SchemaField): boolean => type === 'integer' || type === 'number'
const listIndexed = (kind: SchemaKind | undefined): SchemaField[] =>
  (kind?.fields ?? []).filter(({ indexed, unique }) => indexed || unique)

/** The groups that a URL asks for: `by`, `interval` and `of`, as far as the kind has such fields. */
export const readAggregate = (address: URLSearchParams, kind: SchemaKind | undefined): Aggregate | undefined => {
  const fields = listIndexed(kind)
  const by = fields.find(({ name }) => name === address.get('by'))
  const of = fields.find((field) => field.name === address.get('of') && isNumber(field))
  const interval = by && isTime(by) ? intervals.find((one) => one === address.get('interval')) : undefined
  if (!by && !of) return undefined
  return { ...(by && { by: by.name }), ...(interval && { interval }), ...(of && { of: of.name }) }
}

const toOptions = (first: string, names: readonly string[]) => [
  { value: '', name: first },
  ...names.map((name) => ({ value: name, name })),
]

type ChoiceProps = {
  kind: SchemaKind | undefined
  aggregate: Aggregate | undefined
  onChange: (changes: Record<string, string | undefined>) => void
}

/** Chooses the groups of a query: by an indexed field, by days or months of a date, and the sum of a number. */
export const GroupChoice = ({ kind, aggregate, onChange }: ChoiceProps) => {
  const fields = listIndexed(kind)
  if (fields.length === 0) return null
  const by = fields.find(({ name }) => name === aggregate?.by)
  const numbers = fields.filter(isNumber)
  return (
    <>
      <Select
        label="Group by"
        value={aggregate?.by ?? ''}
        options={toOptions(
          'Nothing',
          fields.map(({ name }) => name),
        )}
        onChange={(value) => onChange({ by: value || undefined, interval: undefined })}
      />
      {by && isTime(by) && (
        <Select
          label="Each"
          value={aggregate?.interval ?? ''}
          options={toOptions('value', intervals)}
          onChange={(value) => onChange({ interval: value || undefined })}
        />
      )}
      {numbers.length > 0 && (
        <Select
          label="Sum of"
          value={aggregate?.of ?? ''}
          options={toOptions(
            'Nothing',
            numbers.map(({ name }) => name),
          )}
          onChange={(value) => onChange({ of: value || undefined })}
        />
      )}
    </>
  )
}

const toNumber = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : value.toLocaleString('en', { maximumFractionDigits: 2 })

const toName = (key: QueryGroup['key']): string => {
  if (key === undefined) return 'All'
  if (key === null) return 'no value'
  return isObject(key) || Array.isArray(key) ? JSON.stringify(key) : String(key)
}

type GroupsProps = { groups: readonly QueryGroup[]; hasMore: boolean; isExact: boolean; aggregate: Aggregate }

/** The groups of a query, each with its share of the largest. */
export const QueryGroups = ({ groups, hasMore, isExact, aggregate: { by, of } }: GroupsProps) => {
  const largest = Math.max(1, ...groups.map(({ count }) => count))
  return (
    <>
      <div className="data-table groups">
        <table aria-label="Groups">
          <thead>
            <tr>
              <th scope="col">{by ?? 'Records'}</th>
              <th scope="col" data-align="end">
                Count
              </th>
              {of !== undefined && (
                <>
                  <th scope="col" data-align="end">
                    Sum of {of}
                  </th>
                  <th scope="col" data-align="end" className="wide">
                    Mean
                  </th>
                </>
              )}
            </tr>
          </thead>
          <tbody>
            {groups.map(({ key, count, sum, avg }) => (
              <tr key={JSON.stringify(key ?? null)}>
                <td>
                  <span className="group-bar" style={{ width: `${(100 * count) / largest}%` }} aria-hidden="true" />
                  <span className={key === null ? 'group-name muted' : 'group-name'}>{toName(key)}</span>
                </td>
                <td data-align="end">{toAmount(count)}</td>
                {of !== undefined && (
                  <>
                    <td data-align="end">{toNumber(sum)}</td>
                    <td data-align="end" className="wide">
                      {toNumber(avg)}
                    </td>
                  </>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(hasMore || !isExact) && (
        <p className="muted small">
          {hasMore && 'There are more groups than are shown. '}
          {!isExact && 'The numbers are at least so large: not all records were counted.'}
        </p>
      )}
    </>
  )
}
