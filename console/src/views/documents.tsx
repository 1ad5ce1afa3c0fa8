import type { BrainDocument } from '@noema/contracts/documents.ts'
import type { Client } from '@noema/sdk'
import { useCallback } from 'react'
import { listCode } from '../code/examples.ts'
import { ViewAsCode } from '../parts/code-tabs.tsx'
import { CopiedId } from '../parts/copied-id.tsx'
import { Json, TextBlock } from '../parts/json.tsx'
import { Loading } from '../parts/loading.tsx'
import { FailureNotice } from '../parts/notice.tsx'
import { Pager } from '../parts/pager.tsx'
import { Time } from '../parts/time.tsx'
import { useLoaded } from '../parts/use-loaded.ts'
import { Link, useLocation, withQuery } from '../router.tsx'
import { baseUrl } from '../session/workspace.tsx'
import { ThingLinks } from '../things/thing-links.tsx'

const perPage = 50

const DocumentText = ({ client, handle, id }: { client: Client; handle: string; id: string }) => {
  const load = useCallback(
    (signal: AbortSignal) => client.brain(handle).documents.get(id, {}, { signal }),
    [client, handle, id],
  )
  const { data, error } = useLoaded(load)
  if (error !== undefined) return <FailureNotice error={error} />
  if (!data) return <Loading />
  const { text, ...facts } = data.document
  return (
    <>
      <TextBlock label={`Text of version ${facts.version}`} text={text} wraps />
      <Json label="What is known of it" value={facts} />
      <ThingLinks handle={handle} thing={{ type: 'document', id }} />
    </>
  )
}

type DocumentRowProps = { client: Client; handle: string; document: BrainDocument; isOpen: boolean }

const DocumentRow = ({ client, handle, document, isOpen }: DocumentRowProps) => (
  <>
    <tr>
      <th scope="row">
        <span className="kind">{document.title ?? 'Untitled'}</span>
        <CopiedId id={document.id} />
      </th>
      <td className="wide">{document.source?.name ?? <span className="muted">none</span>}</td>
      <td className="wide number">{document.length.toLocaleString('en')}</td>
      <td className="wide number">{document.version}</td>
      <td className="wide">
        <Time iso={document.updatedAt} />
      </td>
      <td className="end">
        <Link to={withQuery({ document: isOpen ? undefined : document.id })} className="button small">
          {isOpen ? 'Close' : 'Open'}
        </Link>
      </td>
    </tr>
    {isOpen && (
      <tr className="opened">
        <td colSpan={6}>
          <DocumentText client={client} handle={handle} id={document.id} />
        </td>
      </tr>
    )}
  </>
)

type DocumentTableProps = { client: Client; handle: string; documents: readonly BrainDocument[] }

const DocumentTable = ({ client, handle, documents }: DocumentTableProps) => {
  const openId = useLocation().search.get('document')
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Document</th>
          <th scope="col" className="wide">
            Source
          </th>
          <th scope="col" className="wide number">
            Length
          </th>
          <th scope="col" className="wide number">
            Version
          </th>
          <th scope="col" className="wide">
            Updated
          </th>
          <td />
        </tr>
      </thead>
      <tbody>
        {documents.map((document) => (
          <DocumentRow
            key={document.id}
            client={client}
            handle={handle}
            document={document}
            isOpen={document.id === openId}
          />
        ))}
      </tbody>
    </table>
  )
}

/** A Brain's served documents, page by page; an open one shows its text. */
export const DocumentList = ({ client, handle }: { client: Client; handle: string }) => {
  const { search } = useLocation()
  const after = search.get('after') ?? undefined
  const load = useCallback(
    (signal: AbortSignal) => client.brain(handle).documents.list({ after, limit: perPage }, { signal }),
    [client, handle, after],
  )
  const { data, error } = useLoaded(load)
  return (
    <section aria-label="Documents">
      {error !== undefined && <FailureNotice error={error} />}
      {!data && error === undefined && <Loading />}
      {data && data.documents.length === 0 && <p className="empty">No documents yet.</p>}
      {data && data.documents.length > 0 && (
        <DocumentTable client={client} handle={handle} documents={data.documents} />
      )}
      {data && <Pager cursor={data.cursor} hasMore={data.hasMore} isFirst={after === undefined} />}
      <ViewAsCode example={listCode({ baseUrl, handle }, 'documents', {})} />
    </section>
  )
}
