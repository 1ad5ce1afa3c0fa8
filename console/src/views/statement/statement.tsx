import type { Statement } from '@noema/contracts/statements.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import '../../styles/record.css'
import { baseUrl } from '../../base-path.ts'
import { readCode } from '../../code/examples.ts'
import { Status } from '../../components/badge.tsx'
import { ViewAsCode } from '../../components/code.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Json } from '../../components/json.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { toCellText } from '../../data/record-text.ts'
import { statementQuery } from '../../data/records.ts'
import { useSession } from '../../session/session.tsx'
import { Reads } from '../record/reads.tsx'

const route = getRouteApi('/brains/$handle/statements/$id')

type PartProps = { statement: Statement; handle: string; asOf: number | undefined }

const RecordLink = ({
  handle,
  asOf,
  id,
  kind,
}: {
  handle: string
  asOf: number | undefined
  id: string
  kind: string
}) => (
  <Link to="/brains/$handle/records/$id" params={{ handle, id }} search={{ asOf }}>
    {kind} {id}
  </Link>
)

/** The content of a statement, with links to its records. */
const Sentence = ({ statement: { subject, predicate, object }, ...location }: PartProps) => (
  <h2>
    <RecordLink {...location} {...subject} /> {predicate}{' '}
    {'record' in object ? <RecordLink {...location} {...object.record} /> : <code>{toCellText(object.value)}</code>}
  </h2>
)

/** The supporting documents, with quotes. */
const Sources = ({ statement: { sources }, handle }: PartProps) => (
  <div className="relations">
    <h3>Sources</h3>
    {sources.length === 0 && <p className="muted">No document is named.</p>}
    <ul>
      {sources.map(({ document, version, quote }) => (
        <li key={`${document} ${version} ${quote}`}>
          <Link to="/brains/$handle/documents/$id" params={{ handle, id: document }} search={{ version }}>
            {document}
          </Link>
          {version !== undefined && <span className="muted"> version {version}</span>}
          {quote !== undefined && <q className="muted">{quote}</q>}
        </li>
      ))}
    </ul>
  </div>
)

const Retract = ({ handle, id }: { handle: string; id: string }) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  const retract = async () => {
    await client.brain(handle).statements.retract(id)
    await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] })
  }
  return (
    <ConfirmButton label="Retract" title="Retract this statement?" confirm="Retract statement" onConfirm={retract}>
      <p>
        It no longer holds in this Brain. You can still read it, and a revert asserts it again. In review mode, this
        waits for a decision.
      </p>
    </ConfirmButton>
  )
}

const period = ({ validFrom, validTo }: Statement): string =>
  validFrom === null && validTo === null
    ? 'always'
    : `${validFrom?.slice(0, 10) ?? 'ever'} to ${validTo?.slice(0, 10) ?? 'now'}`

const Facts = ({ statement }: { statement: Statement }) => (
  <KeyValues
    layout="row"
    items={[
      ['State', <Status key="state" state={statement.retractedAt === null ? 'live' : 'retracted'} />],
      ['Version', statement.version],
      ['Confidence', statement.confidence === null ? 'not given' : `${Math.round(statement.confidence * 100)} %`],
      ['Valid', period(statement)],
      ['Asserted', <Time key="at" iso={statement.assertedAt} />],
      ['Id', <CopyId key="id" id={statement.id} />],
    ]}
  />
)

/** One statement: its content, validity, evidence and readers. */
export const StatementPage = () => {
  const { handle, id } = route.useParams()
  const { asOf } = route.useSearch()
  const { data, error } = useQuery(statementQuery(useSession(), handle, id, asOf))
  if (error) return <FailureNotice error={error} />
  if (!data) return <Skeleton lines={6} />
  const { statement } = data
  const part = { statement, handle, asOf }
  return (
    <section aria-label="Statement" className="record">
      <div className="record-top">
        <div className="record-head">
          <Sentence {...part} />
        </div>
        {statement.retractedAt === null && asOf === undefined && <Retract handle={handle} id={id} />}
      </div>
      {asOf !== undefined && (
        <Notice>
          <p>
            As of state {asOf}.{' '}
            <Link to="/brains/$handle/statements/$id" params={{ handle, id }}>
              As it is now
            </Link>
          </p>
        </Notice>
      )}
      <Facts statement={statement} />
      {statement.retraction !== null && (
        <p className="muted">
          Retracted by change <code>{statement.retraction.change}</code>
          {statement.retraction.reason !== null && `: ${statement.retraction.reason}`}
        </p>
      )}
      <Sources {...part} />
      <div className="relations">
        <h3>Readers</h3>
        <Reads handle={handle} item={{ type: 'statement', id }} />
      </div>
      <Json label={`Version ${statement.version}`} value={statement} depth={1} />
      <ViewAsCode example={readCode({ baseUrl, handle }, { what: 'statements', id, asOf })} />
    </section>
  )
}
