import { useCallback, useMemo } from 'react'
import { filesKey } from '../../data/files.ts'
import { type SendFile, useUploads } from '../../items/use-uploads.ts'
import { useSession } from '../../session/session.tsx'

const maxBytes = 64 * 1024 * 1024

/** Uploads files to a folder, which ends with a slash unless it is the top. */
export const useFileUploads = (folder: string) => {
  const session = useSession()
  const sendFile: SendFile = useCallback(
    async (file) => {
      // The service refuses it as well, but only after the browser has sent it.
      if (file.size > maxBytes) throw new Error('This file is larger than 64 MiB, the most that a file can have.')
      const { artifact } = await session.client.artifacts.upload(file, { path: folder + file.name })
      return { id: artifact.id, version: artifact.version, state: 'written' }
    },
    [session.client, folder],
  )
  return useUploads(
    sendFile,
    useMemo(() => filesKey(session), [session]),
  )
}
