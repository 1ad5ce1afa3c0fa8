import type { Statement } from '@noema/contracts/statements.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import '../../styles/record.css'
import '../../styles/review.css'
import '../../styles/statements.css'
import { baseUrl } from '../../base-path.ts'
import { readCode } from '../../code/examples.ts'
import { Status } from '../../components/badge.tsx'
import { ViewAsCode } from '../../components/code.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Json } from '../../components/json.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { useCrumbName } from '../../crumb-names.ts'
import { useItemName } from '../../data/item-names.ts'
import { toCellText } from '../../data/record-text.ts'
import { statementQuery } from '../../data/records.ts'
import { ChangeAuthor } from '../../items/change-author.tsx'
import { ItemLink } from '../../items/item-link.tsx'
import { useSession } from '../../session/session.tsx'
import { Reads } from '../record/reads.tsx'
import { Quote } from '../review/quote.tsx'
import { RetractStatement } from './retract-statement.tsx'
import { StatementHistory } from './statement-history.tsx'
import { describeConfidence, describeValidity } from './validity.ts'

const route = getRouteApi('/brains/$handle/statements/$id')

type PartProps = { statement: Statement; handle: string; asOf: number | undefined }

/** The content of a statement, with links to its records by name. */
const Sentence = ({ statement: { subject, predicate, object }, handle, asOf }: PartProps) => (
  <h2 className="statement-sentence">
    <ItemLink handle={handle} item={{ type: 'record', id: subject.id }} asOf={asOf} />{' '}
    <Link to="/brains/$handle/statements" params={{ handle }} search={{ predicate }} className="statement-predicate">
      {predicate}
    </Link>{' '}
    {'record' in object ? (
      <ItemLink handle={handle} item={{ type: 'record', id: object.record.id }} asOf={asOf} />
    ) : (
      toCellText(object.value)
    )}
  </h2>
)

/** Validity, confidence and author in one line. */
const About = ({ statement, handle }: PartProps) => {
  const { retractedAt, confidence, assertedAt, provenance, id, version } = statement
  return (
    <p className="about">
      <Status state={retractedAt === null ? 'live' : 'retracted'} />
      <span>valid {describeValidity(statement)}</span>
      {confidence !== null && <span>{describeConfidence(confidence)} sure</span>}
      <span>
        asserted <Time iso={assertedAt} />
      </span>
      <ChangeAuthor handle={handle} change={provenance.change} provenance={provenance} />
      {provenance.trust !== undefined && (
        <span className="trust" data-trust={provenance.trust}>
          {provenance.trust}
        </span>
      )}
      {version > 1 && <span>version {version}</span>}
      <CopyId id={id} />
    </p>
  )
}

/** The supporting documents, with the quoted words in place. */
const Sources = ({ statement: { sources }, handle }: PartProps) => (
  <section className="statement-part" aria-label="Sources">
    <h3>Sources</h3>
    {sources.length === 0 && <p className="muted">No document is named.</p>}
    {sources.map((source) => {
      const { document, version, quote } = source
      return (
        <Quote
          key={`${document} ${version} ${quote}`}
          handle={handle}
          source={{ document, ...(version !== undefined && { version }), ...(quote !== undefined && { quote }) }}
        />
      )
    })}
  </section>
)

const EarlierState = ({ handle, id, asOf }: { handle: string; id: string; asOf: number }) => (
  <Notice>
    <p>
      As of state {asOf}.{' '}
      <Link to="/brains/$handle/statements/$id" params={{ handle, id }}>
        As it is now
      </Link>
    </p>
  </Notice>
)

/** One statement as a sentence: its time, author, evidence, history and readers. */
export const StatementPage = () => {
  const { handle, id } = route.useParams()
  const { asOf } = route.useSearch()
  const { data, error } = useQuery(statementQuery(useSession(), handle, id, asOf))
  useCrumbName(`/brains/${handle}/statements/${encodeURIComponent(id)}`, useItemName(handle, { type: 'statement', id }))
  if (error) return <FailureNotice error={error} />
  if (!data) return <Skeleton lines={6} />
  const { statement } = data
  const part = { statement, handle, asOf }
  return (
    <section aria-label="Statement" className="record">
      <div className="record-top">
        <div className="record-head">
          <Sentence {...part} />
          <About {...part} />
        </div>
        {statement.retractedAt === null && asOf === undefined && <RetractStatement handle={handle} id={id} />}
      </div>
      {asOf !== undefined && <EarlierState handle={handle} id={id} asOf={asOf} />}
      <div className="statement-columns">
        <div>
          <Sources {...part} />
          <section className="statement-part" aria-label="Reads">
            <h3>Readers</h3>
            <Reads handle={handle} item={{ type: 'statement', id }} />
          </section>
        </div>
        <section className="statement-part" aria-label="History">
          <h3>History</h3>
          <StatementHistory handle={handle} statement={statement} />
        </section>
      </div>
      <details className="aside">
        <summary>View as JSON</summary>
        <Json label={`Version ${statement.version}`} value={statement} depth={1} />
      </details>
      <ViewAsCode example={readCode({ baseUrl, handle }, { what: 'statements', id, asOf })} />
    </section>
  )
}
