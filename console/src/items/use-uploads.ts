import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'

/** A file that is being uploaded. */
export type Upload = {
  key: number
  name: string
  state: 'waiting' | 'sending' | 'written' | 'pending' | 'failed'
  id?: string
  version?: number | undefined
  error?: string
}

/** Uploads one file, and returns what it became. */
export type SendFile = (file: File) => Promise<Pick<Upload, 'id' | 'version' | 'state'>>

let lastKey = 0

/**
 * Uploads files one after the other, so that many do not slow down the page's own reads, and reports the state of each. At the end
 * it reloads the lists of this key.
 */
export const useUploads = (sendFile: SendFile, queryKey: QueryKey) => {
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
          update(key, await sendFile(file))
        } catch (error) {
          update(key, { state: 'failed', error: error instanceof Error ? error.message : String(error) })
        }
      }
      await cache.invalidateQueries({ queryKey })
    },
    [cache, sendFile, queryKey],
  )
  return { uploads, send, clear: () => setUploads([]) }
}
