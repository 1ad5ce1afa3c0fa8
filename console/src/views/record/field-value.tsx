import type { BrainRecord } from '@noema/contracts/records.ts'
import type { TypedField } from '../record-form/field-value.ts'

type Value = BrainRecord['fields'][string]

const isPlain = (value: Value): value is string | number | boolean => typeof value !== 'object'

const isWebAddress = (text: string): boolean => /^https?:\/\/\S+$/.test(text)

const Plain = ({ value, type }: { value: string | number | boolean; type: TypedField['type'] }) => {
  if (typeof value === 'boolean') return <span>{value ? 'true' : 'false'}</span>
  if (typeof value === 'number') return <span className="numeral">{value}</span>
  if (isWebAddress(value))
    return (
      <a href={value} rel="noreferrer noopener" target="_blank">
        {value}
      </a>
    )
  return <span className={type === 'text' ? 'prose' : undefined}>{value}</span>
}

/** The value of a field, formatted by type: text, list, or JSON. */
export const FieldValue = ({ field: { type }, value }: { field: TypedField; value: Value | undefined }) => {
  if (value === undefined || value === null) return <span className="muted">no value</span>
  if (isPlain(value)) return <Plain value={value} type={type} />
  if (Array.isArray(value) && value.every(isPlain))
    return (
      <ul className="value-list">
        {value.map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: values of a list may be the same
          <li key={index}>
            <Plain value={one} type={type} />
          </li>
        ))}
      </ul>
    )
  return <pre className="value-json">{JSON.stringify(value, null, 2)}</pre>
}
