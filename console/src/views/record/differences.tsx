import { toCellText } from '../../data/record-text.ts'
import type { Difference } from './version-diff.ts'

const Side = ({ value, words }: { value: Difference['before']; words: string }) =>
  value === undefined ? (
    <span className="muted">nothing</span>
  ) : (
    <span className={`side-${words}`}>
      <span className="off-screen">{words}: </span>
      {toCellText(value) || <span className="muted">empty</span>}
    </span>
  )

/** What differs between two versions, a line for each part: what was there, and what is. */
export const Differences = ({ differences }: { differences: readonly Difference[] }) => {
  if (differences.length === 0) return <p className="muted">Nothing that is shown here differs.</p>
  return (
    <dl className="differences">
      {differences.map(({ part, name, before, after }) => (
        <div key={`${part} ${name}`} className="difference">
          <dt>
            {name}
            {part === 'link' && <span className="field-rules">link</span>}
          </dt>
          <dd>
            {before !== undefined && <Side value={before} words="before" />}
            <Side value={after} words="after" />
          </dd>
        </div>
      ))}
    </dl>
  )
}
