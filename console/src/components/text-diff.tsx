import { diffLines, diffWordsWithSpace } from 'diff'

/** Longer texts are compared by lines instead of words, which takes a fraction of the time. */
const maxWordDiff = 20_000

type TextDiffProps = { before: string; after: string; label?: string }

/** The changes of a text: removed parts are struck out, added parts underlined, and both are labeled for screen readers. */
export const TextDiff = ({ before, after, label = 'Changes of the text' }: TextDiffProps) => {
  const isLong = before.length + after.length > maxWordDiff
  const parts = isLong ? diffLines(before, after) : diffWordsWithSpace(before, after)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <figure className="text-diff" aria-label={label} tabIndex={0}>
      {parts.map(({ value, added, removed }, index) => {
        const key = `${index}`
        if (added) return <ins key={key}>{value}</ins>
        return removed ? <del key={key}>{value}</del> : <span key={key}>{value}</span>
      })}
    </figure>
  )
}
