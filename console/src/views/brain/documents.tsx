import type { BrainDocument } from '@noema/contracts/documents.ts'
import type { Client } from '@noema/sdk'
import { useParams } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useLocation } from '../../address.tsx'
import { listCode } from '../../code/examples.ts'
import { ViewAsCode } from '../../components/code.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Json, TextBlock } from '../../components/json.tsx'
import { ListPage, useListPage } from '../../components/list-page.tsx'
import { Loading } from '../../components/loading.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Table, VersionRow } from '../../components/table.tsx'
import { useLoaded } from '../../components/use-loaded.ts'
import { ItemLinks } from '../../items/item-links.tsx'
import { baseUrl, useSession } from '../../session/session.tsx'

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
      <ItemLinks handle={handle} item={{ type: 'document', id }} />
    </>
  )
}

const columns = [
  ['Document'],
  ['Source', 'wide'],
  ['Length', 'wide number'],
  ['Version', 'wide number'],
  ['Updated', 'wide'],
] as const

const DocumentCells = ({ document }: { document: BrainDocument }) => (
  <>
    <th scope="row">
      <span className="kind">{document.title ?? 'Untitled'}</span>
      <CopyId id={document.id} />
    </th>
    <td className="wide">{document.source?.name ?? <span className="muted">none</span>}</td>
    <td className="wide number">{document.length.toLocaleString('en')}</td>
  </>
)

type DocumentTableProps = { client: Client; handle: string; documents: readonly BrainDocument[] }

const DocumentTable = ({ client, handle, documents }: DocumentTableProps) => {
  const openId = useLocation().search.get('document')
  return (
    <Table columns={columns} hasActions>
      {documents.map((document) => (
        <VersionRow
          key={document.id}
          name="document"
          item={document}
          isOpen={document.id === openId}
          cells={<DocumentCells document={document} />}
          columns={columns.length + 1}
        >
          <DocumentText client={client} handle={handle} id={document.id} />
        </VersionRow>
      ))}
    </Table>
  )
}

/** A Brain's served documents, page by page; an open one shows its text. */
export const DocumentList = () => {
  const { client } = useSession()
  const { handle } = useParams({ from: '/brains/$handle' })
  const page = useListPage(
    useCallback((page, options) => client.brain(handle).documents.list(page, options), [client, handle]),
  )
  return (
    <section aria-label="Documents">
      <ListPage page={page} items={page.data?.documents} empty="No documents yet.">
        {(documents) => <DocumentTable client={client} handle={handle} documents={documents} />}
      </ListPage>
      <ViewAsCode example={listCode({ baseUrl, handle }, 'documents', {})} />
    </section>
  )
}
