import { Fragment } from 'react'
import type { Span } from '../data/item-paths.ts'

type MarkedProps = {
  text: string
  /** In order, not overlapping, in UTF-16 code units as JavaScript counts them. */
  spans: readonly Span[]
  /** Renders a part of the text. */
  write?: (piece: string) => string
}

/** A text with highlighted parts. It is always rendered as text, so HTML in it has no effect. */
export const Marked = ({ text, spans, write = (piece) => piece }: MarkedProps) => (
  <>
    {spans.map(({ start, end }, index) => (
      <Fragment key={start}>
        {write(text.slice(spans[index - 1]?.end ?? 0, start))}
        <mark>{write(text.slice(start, end))}</mark>
      </Fragment>
    ))}
    {write(text.slice(spans.at(-1)?.end ?? 0))}
  </>
)
