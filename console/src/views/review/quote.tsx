import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Skeleton } from '../../components/skeleton.tsx'
import { documentVersionQuery } from '../../data/evidence.ts'
import { Marked } from '../../items/marked.tsx'
import { useSession } from '../../session/session.tsx'

type Source = { document: string; version?: number; quote?: string }

/** The length of the text on each side of a quote. */
const around = 240

/** The position of a quote in a text: exact, or with any whitespace for each space. */
const findQuote = (text: string, quote: string): { start: number; end: number } | undefined => {
  const start = text.indexOf(quote)
  if (start !== -1) return { start, end: start + quote.length }
  const words = quote
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const found = new RegExp(words.join('\\s+'), 'i').exec(text)
  return found ? { start: found.index, end: found.index + found[0].length } : undefined
}

const InPlace = ({ text, quote }: { text: string; quote: string }) => {
  const span = findQuote(text, quote)
  if (!span) return <p className="quote-missing">The document does not contain these words: “{quote}”</p>
  const from = Math.max(0, span.start - around)
  const to = Math.min(text.length, span.end + around)
  return (
    <blockquote>
      {from > 0 && '… '}
      <Marked text={text.slice(from, to)} spans={[{ start: span.start - from, end: span.end - from }]} />
      {to < text.length && ' …'}
    </blockquote>
  )
}

/** A source of a statement: the quoted words within the document that was read. */
export const Quote = ({ handle, source }: { handle: string; source: Source }) => {
  const { document, version, quote } = source
  const { data, error } = useQuery(documentVersionQuery(useSession(), handle, { id: document, version }))
  const title = data?.document.title ?? document
  return (
    <div className="quote">
      <p className="small">
        <Link to="/brains/$handle/documents/$id" params={{ handle, id: document }}>
          {title}
        </Link>
        {version !== undefined && `, version ${version}`}
      </p>
      {quote !== undefined && data && <InPlace text={data.document.text} quote={quote} />}
      {quote !== undefined && !data && !error && <Skeleton lines={2} />}
      {error && <p className="quote-missing">This document cannot be read: {error.message}</p>}
    </div>
  )
}
