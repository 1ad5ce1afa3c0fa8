import { NotFoundError } from '@noema/sdk/errors.ts'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useSession } from '../../session/session.tsx'
import { DocumentEditor } from './document-editor.tsx'

const route = getRouteApi('/brains/$handle/new-document')

/** Writes a new document. */
export const NewDocumentPage = () => {
  const { handle } = route.useParams()
  const { source } = route.useSearch()
  const { client } = useSession()
  const navigate = useNavigate()
  const isFree = async (id: string) => {
    try {
      await client.brain(handle).documents.get(id)
      return false
    } catch (error) {
      if (error instanceof NotFoundError) return true
      throw error
    }
  }
  return (
    <section aria-label="New document" className="record">
      <h2>New document</h2>
      <DocumentEditor
        handle={handle}
        opened={undefined}
        source={source}
        checkId={isFree}
        onSaved={(id) => navigate({ to: '/brains/$handle/documents/$id', params: { handle, id } })}
        onClose={() => void navigate({ to: '/brains/$handle/documents', params: { handle }, search: { source } })}
        onReopen={() => undefined}
      />
    </section>
  )
}
