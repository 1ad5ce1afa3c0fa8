import { Fragment } from 'react'
import type { Span } from './paths.ts'

type MarkedProps = {
  text: string
  /** In order, none over another, in UTF-16 code units: what JavaScript counts. */
  spans: readonly Span[]
  /** How a piece of the text is written. */
  write?: (piece: string) => string
}

/** A text with parts of it marked. Only text is ever made of it: what looks like HTML stays as it is written. */
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
