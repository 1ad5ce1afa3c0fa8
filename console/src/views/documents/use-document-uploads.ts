import { useCallback, useMemo } from 'react'
import { type SendFile, useUploads } from '../../items/use-uploads.ts'
import { useSession } from '../../session/session.tsx'
import { readFile } from './read-file.ts'

/** Uploads text files as documents of a Brain. */
export const useDocumentUploads = (handle: string, source: string | undefined) => {
  const { client, organization } = useSession()
  const sendFile: SendFile = useCallback(
    async (file) => {
      const { id, ...read } = await readFile(file)
      const given = { ...read, ...(source !== undefined && { source: { name: source } }) }
      const { document, outcome } = await client.brain(handle).documents.put(id, given)
      return { id: document.id, version: document.version, state: outcome === 'staged' ? 'pending' : 'written' }
    },
    [client, handle, source],
  )
  return useUploads(
    sendFile,
    useMemo(() => [organization.id, 'brain', handle], [organization.id, handle]),
  )
}
