import { diffWordsWithSpace } from 'diff'
import { useMemo, useState } from 'react'
import { toAmount } from '../plural.ts'
import { Button } from './button.tsx'
import { RadioGroup } from './choices.tsx'
import { alignLines, type Block, foldSame, type Row } from './side-by-side.ts'
import { TextDiff } from './text-diff.tsx'
import { useWide } from './use-wide.ts'

/** The width from which two columns of text are readable. */
const minWidth = 960

/** The most rows that are drawn at first. */
const maxRows = 500

type Text = { name: string; text: string }
type Side = 'before' | 'after'

/** A changed line on one side: what only this side has is marked. */
const ChangedLine = ({ row: { before, after }, side }: { row: Row; side: Side }) => {
  const line = side === 'before' ? before : after
  if (!line) return null
  const Mark = side === 'before' ? 'del' : 'ins'
  if (!before || !after) return <Mark>{line.text || ' '}</Mark>
  return diffWordsWithSpace(before.text, after.text)
    .filter(({ added, removed }) => (side === 'before' ? !added : !removed))
    .map(({ value, added, removed }, index) => {
      const key = `${index}`
      return added || removed ? <Mark key={key}>{value}</Mark> : <span key={key}>{value}</span>
    })
}

const toLineClass = (row: Row, side: Side): string => {
  if (row.isSame) return 'line'
  return row[side] ? `line ${side}` : 'line absent'
}

const SideCells = ({ row, side }: { row: Row; side: Side }) => {
  const line = row[side]
  return (
    <>
      <td className="line-number" aria-hidden>
        {line?.number}
      </td>
      <td className={toLineClass(row, side)}>{row.isSame ? line?.text : <ChangedLine row={row} side={side} />}</td>
    </>
  )
}

const Rows = ({ rows }: { rows: readonly Row[] }) =>
  rows.map((row) => (
    <tr key={`${row.before?.number} ${row.after?.number}`}>
      <SideCells row={row} side="before" />
      <SideCells row={row} side="after" />
    </tr>
  ))

const Part = ({ block: { rows, isFolded } }: { block: Block }) => {
  const [isOpen, setOpen] = useState(!isFolded)
  const [count, setCount] = useState(maxRows)
  if (!isOpen)
    return (
      <tr className="folded-lines">
        <td colSpan={4}>
          <button type="button" className="link-button" onClick={() => setOpen(true)}>
            Show {toAmount(rows.length)} unchanged lines
          </button>
        </td>
      </tr>
    )
  return (
    <>
      <Rows rows={rows.slice(0, count)} />
      {rows.length > count && (
        <tr className="folded-lines">
          <td colSpan={4}>
            <Button size="small" onClick={() => setCount(count + maxRows)}>
              Show {toAmount(rows.length - count)} more lines
            </Button>
          </td>
        </tr>
      )}
    </>
  )
}

type TextComparisonProps = { before: Text; after: Text }

const SideBySide = ({ before, after }: TextComparisonProps) => {
  const blocks = useMemo(() => foldSame(alignLines(before.text, after.text)), [before.text, after.text])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <section className="side-by-side" tabIndex={0} aria-label={`${before.name} and ${after.name}`}>
      <table>
        <colgroup>
          <col className="line-number" />
          <col />
          <col className="line-number" />
          <col />
        </colgroup>
        <thead>
          <tr>
            <th scope="col" colSpan={2}>
              {before.name}
            </th>
            <th scope="col" colSpan={2}>
              {after.name}
            </th>
          </tr>
        </thead>
        <tbody>
          {blocks.map((block) => (
            <Part key={`${block.rows[0]?.before?.number} ${block.rows[0]?.after?.number}`} block={block} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

const layouts = [
  { value: 'side', name: 'Side by side' },
  { value: 'inline', name: 'Inline' },
] as const

/** Two texts with their differences: side by side where there is room, or in one text. */
export const TextComparison = ({ before, after }: TextComparisonProps) => {
  const isWide = useWide(minWidth)
  const [chosen, setChosen] = useState<'side' | 'inline'>()
  const layout = isWide ? (chosen ?? 'side') : 'inline'
  return (
    <div className="text-comparison">
      {isWide && (
        <RadioGroup label="Layout" isLabelHidden isSegments options={layouts} value={layout} onChange={setChosen} />
      )}
      {layout === 'side' ? (
        <SideBySide before={before} after={after} />
      ) : (
        <TextDiff before={before.text} after={after.text} />
      )}
    </div>
  )
}
