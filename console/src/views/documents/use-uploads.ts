import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { useSession } from '../../session/session.tsx'
import { readFile } from './read-file.ts'

/** A file that is being uploaded. */
export type Upload = {
  key: number
  name: string
  state: 'waiting' | 'sending' | 'written' | 'pending' | 'failed'
  id?: string
  version?: number | undefined
  error?: string
}

let lastKey = 0

/** Uploads files one after the other, so that many do not slow down the page's own reads, and reports the state of each. */
export const useUploads = (handle: string, source: string | undefined) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  const [uploads, setUploads] = useState<readonly Upload[]>([])

  const send = useCallback(
    async (files: readonly File[]) => {
      const waiting = files.map((file): [File, Upload] => [file, { key: ++lastKey, name: file.name, state: 'waiting' }])
      setUploads((before) => [...waiting.map(([, upload]) => upload), ...before].slice(0, 200))
      const update = (key: number, part: Partial<Upload>) =>
        setUploads((before) => before.map((one) => (one.key === key ? { ...one, ...part } : one)))
      for (const [file, { key }] of waiting) {
        update(key, { state: 'sending' })
        try {
          const { id, ...read } = await readFile(file)
          const given = { ...read, ...(source !== undefined && { source: { name: source } }) }
          const { document, outcome } = await client.brain(handle).documents.put(id, given)
          update(key, {
            id: document.id,
            version: document.version,
            state: outcome === 'staged' ? 'pending' : 'written',
          })
        } catch (error) {
          update(key, { state: 'failed', error: error instanceof Error ? error.message : String(error) })
        }
      }
      await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] })
    },
    [client, cache, organization.id, handle, source],
  )
  return { uploads, send, clear: () => setUploads([]) }
}
