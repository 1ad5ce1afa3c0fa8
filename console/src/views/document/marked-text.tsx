import { useEffect, useRef } from 'react'
import { TextBlock } from '../../components/json.tsx'
import type { Span } from '../../data/item-paths.ts'
import { Marked } from '../../items/marked.tsx'

/** A document's text with a range of it marked and scrolled into view. */
export const MarkedText = ({ label, text, span }: { label: string; text: string; span: Span | undefined }) => {
  const box = useRef<HTMLDivElement>(null)
  const start = span?.start
  useEffect(() => {
    const [frame, mark] = ['pre', 'mark'].map((name) => box.current?.querySelector(name))
    if (start === undefined || !frame || !mark) return
    // Scrolls within its frame first, a little below the top, so that the page itself moves as little as possible.
    frame.scrollTop += mark.getBoundingClientRect().top - frame.getBoundingClientRect().top - frame.clientHeight / 4
    mark.scrollIntoView({ block: 'nearest' })
  }, [start])
  return (
    <div ref={box}>
      <TextBlock label={label} text={<Marked text={text} spans={span ? [span] : []} />} wraps />
    </div>
  )
}
