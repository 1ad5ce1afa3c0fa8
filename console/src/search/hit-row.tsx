import { Link } from '../address.tsx'
import { itemPath, receiptPath } from '../data/item-paths.ts'
import { Marked } from '../items/marked.tsx'
import type { Hit } from './use-search.ts'

type Reason = Hit['why'][number]

const toReason = (reason: Reason): string => {
  switch (reason.reason) {
    case 'words':
      return `the ${reason.words.length === 1 ? 'word' : 'words'} ${reason.words.join(', ')}`
    case 'meaning':
      return `its meaning (cosine ${reason.similarity.toFixed(2)})`
    case 'alias':
      return `its alias ${reason.alias}`
    case 'neighbour':
      return 'an adjacent match'
    case 'linked':
      return reason.from
        ? `a second search, from ${reason.from.title}${reason.names.length > 0 ? ` by ${reason.names.join(', ')}` : ''}`
        : 'a second search'
    case 'reranked':
      return `the reranker (${reason.relevance.toFixed(2)})`
  }
}

const evidenceNames: Record<Hit['evidence'], string> = {
  strong: 'Strong evidence',
  weak: 'Weak evidence',
  none: 'No evidence',
}

const Provenance = ({ hit, handle }: { hit: Hit; handle: string }) => {
  const { source, trust, receipt } = hit.provenance
  return (
    <>
      {source !== undefined && <span>Source: {source}</span>}
      {trust !== undefined && (
        <span className="trust" data-trust={trust}>
          {trust}
        </span>
      )}
      {receipt !== undefined && (
        <span>
          Based on <Link to={receiptPath(handle, receipt)}>a receipt</Link>
        </span>
      )}
    </>
  )
}

/** One result: its title, the matching passage, and the reason why it was found. */
export const HitRow = ({ hit, handle, stateVersion }: { hit: Hit; handle: string; stateVersion: number }) => {
  const { type, kind, version, title, snippet, highlights, span, why, evidence } = hit
  // The text of a record has a line for each field.
  const write = type === 'record' ? (piece: string) => piece.replaceAll('\n', ' · ') : undefined
  const shown = <Marked text={snippet} spans={highlights} {...(write && { write })} />
  return (
    <li className="hit" data-family={type}>
      <h3>
        <Link to={itemPath(handle, hit, { asOf: stateVersion, span })}>{snippet === title ? shown : title}</Link>
      </h3>
      <p className="hit-about">
        <span className="family">{type}</span>
        {kind !== undefined && <span>{type === 'statement' ? `about ${kind}` : kind}</span>}
        {type !== 'statement' && <span>version {version}</span>}
        <span className="evidence" data-evidence={evidence}>
          {evidenceNames[evidence]}
        </span>
        <span className="score">score {hit.score.toFixed(3)}</span>
      </p>
      {snippet !== title && <p className="hit-snippet">{shown}</p>}
      <p className="hit-about">
        {why.length > 0 && <span>Found by {why.map(toReason).join(', and by ')}</span>}
        <Provenance hit={hit} handle={handle} />
      </p>
    </li>
  )
}
