import type { putDocument } from '@noema/contracts/documents.ts'
import type { BodyInput } from '@noema/contracts/endpoint.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isStaleVersion } from '../../components/use-versioned-save.ts'
import { type DocumentWithText, documentQuery } from '../../data/documents.ts'
import { useSession } from '../../session/session.tsx'

/** The content of a document, as the service takes it. */
export type DocumentContent = Omit<BodyInput<typeof putDocument>, 'text' | 'artifact' | 'artifactVersion'> & {
  text: string
}

/** The outcome of a save that leaves the editor open. */
export type DocumentOutcome = { what: 'staged'; change: string } | { what: 'conflict'; current: DocumentWithText }

type Save = {
  content: DocumentContent
  note: string
  /** The version that the text is based on; undefined for a new document. */
  version: number | undefined
}

type Given = {
  handle: string
  /** Called when the text is with the service: written, or waiting for review. */
  onSent: () => void
  /** Called with the id of the document when it is written. */
  onWritten: (id: string) => Promise<void>
}

/** Saves a document on top of the version that the person opened. A newer version is never overwritten unnoticed. */
export const useDocumentEdit = ({ handle, onSent, onWritten }: Given) => {
  const session = useSession()
  const cache = useQueryClient()
  const [outcome, setOutcome] = useState<DocumentOutcome>()
  const [isSaving, setSaving] = useState(false)

  const findConflict = async (id: string): Promise<DocumentOutcome> => {
    const { document } = await cache.fetchQuery({ ...documentQuery(session, handle, id), staleTime: 0 })
    return { what: 'conflict', current: document }
  }

  const save = async ({ content, note, version }: Save) => {
    setOutcome(undefined)
    setSaving(true)
    try {
      const { outcome, change, results } = await session.client.brain(handle).batch({
        operations: [{ op: 'document.put', ...content, ifMatch: version }],
        ...(note.trim() !== '' && { reason: note.trim() }),
      })
      onSent()
      if (outcome === 'staged') setOutcome({ what: 'staged', change: change.id })
      await cache.invalidateQueries({ queryKey: [session.organization.id, 'brain', handle] })
      if (outcome === 'landed') await onWritten(results[0]?.id ?? '')
    } catch (error) {
      setSaving(false)
      if (!isStaleVersion(error) || content.id === undefined) throw error
      setOutcome(await findConflict(content.id))
    }
  }
  return { outcome, isSaving, save }
}
