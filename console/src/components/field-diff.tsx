import type { ReactNode } from 'react'
import { Checkbox } from './choices.tsx'
import { TextDiff } from './text-diff.tsx'

type Fields = Readonly<Record<string, unknown>>

type FieldDiffProps = {
  /** Undefined if there was no value before. */
  before: Fields | undefined
  /** Undefined if there is no value after. */
  after: Fields | undefined
  /** The names of the selected fields; with it, each changed field can be selected. */
  ticked?: ReadonlySet<string>
  onTick?: (name: string, isOn: boolean) => void
  /** Includes unchanged fields. */
  showsSame?: boolean
  /** Renders values that are more than text, such as links; undefined for those that are not. */
  render?: (name: string, value: unknown) => ReactNode | undefined
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const Value = ({ value }: { value: unknown }) => {
  if (value === undefined) return <span className="muted">none</span>
  return typeof value === 'string' ? value : <code>{JSON.stringify(value)}</code>
}

const Row = ({ name, before = {}, after = {}, ticked, onTick, render }: FieldDiffProps & { name: string }) => {
  const [was, is] = [before[name], after[name]]
  const show = (value: unknown) => render?.(name, value) ?? <Value value={value} />
  const isText = typeof was === 'string' && typeof is === 'string' && was.length + is.length > 60
  return (
    <tr data-same={isSame(was, is) || undefined}>
      <th scope="row">
        {ticked && onTick && !isSame(was, is) ? (
          <Checkbox label={name} checked={ticked.has(name)} onChange={(isOn) => onTick(name, isOn)} />
        ) : (
          name
        )}
      </th>
      {isText && !isSame(was, is) ? (
        <td colSpan={2}>
          <TextDiff before={was} after={is} label={`Changes of ${name}`} />
        </td>
      ) : (
        <>
          <td className="before">{show(was)}</td>
          <td className="after">{show(is)}</td>
        </>
      )}
    </tr>
  )
}

/** The fields of an item before and after, changed ones first. Each can be selected if the decision depends on it. */
export const FieldDiff = (props: FieldDiffProps) => {
  const { before = {}, after = {}, showsSame = false } = props
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const shown = names.filter((name) => showsSame || !isSame(before[name], after[name]))
  if (shown.length === 0) return <p className="muted">No field changes.</p>
  return (
    <table className="field-diff">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {shown.map((name) => (
          <Row key={name} {...props} name={name} />
        ))}
      </tbody>
    </table>
  )
}
