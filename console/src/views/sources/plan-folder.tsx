import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { DropZone } from '../../components/drop-zone.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { plural } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { type FileDocument, readFile } from '../documents/read-file.ts'

type Skipped = { name: string; why: string }

/** The amount of text in one request of a plan. A large folder takes several requests. */
const maxTextPerRequest = 4 * 1024 * 1024

/** Splits files into requests that are neither too long nor too many. */
const toPortions = (files: readonly FileDocument[]): FileDocument[][] => {
  const portions: FileDocument[][] = [[]]
  let length = 0
  for (const file of files) {
    if (length + file.text.length > maxTextPerRequest && length > 0) {
      portions.push([])
      length = 0
    }
    portions.at(-1)?.push(file)
    length += file.text.length
  }
  return portions
}

const readAll = async (files: readonly File[]) => {
  const read: FileDocument[] = []
  const skipped: Skipped[] = []
  for (const file of files) {
    try {
      read.push(await readFile(file))
    } catch (error) {
      skipped.push({ name: file.name, why: error instanceof Error ? error.message : String(error) })
    }
  }
  return { read, skipped }
}

/** Plans a snapshot of a source from the files of a folder, and opens the plan. Nothing is written yet. */
export const PlanFolder = ({ handle, source }: { handle: string; source: string }) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [progress, setProgress] = useState<string | undefined>(undefined)
  const [skipped, setSkipped] = useState<readonly Skipped[]>([])
  const planning = useMutation({
    mutationFn: async (files: readonly File[]) => {
      setProgress(`Reading ${plural(files.length, 'file')}`)
      const { read, skipped: left } = await readAll(files)
      setSkipped(left)
      if (read.length === 0) throw new Error('None of these files can be a document.')
      const portions = toPortions(read)
      let snapshot: string | undefined
      for (const [index, items] of portions.entries()) {
        setProgress(`Sending part ${index + 1} of ${portions.length}`)
        const body = { items, complete: index === portions.length - 1, snapshot }
        snapshot = (await client.brain(handle).snapshots.plan(source, body)).snapshot.snapshot
      }
      return snapshot ?? ''
    },
    onSettled: () => setProgress(undefined),
    onSuccess: async (snapshot) => {
      await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle, 'snapshots'] })
      await navigate({
        to: '/brains/$handle/sources/$source/snapshots/$snapshot',
        params: { handle, source, snapshot },
      })
    },
  })
  return (
    <>
      <DropZone
        label="Plan from a folder"
        hint={`Choose or drop all current files of ${source}. The plan retires documents whose file is missing.`}
        isFolder
        onFiles={(files) => planning.mutate(files)}
      >
        {progress !== undefined && <span role="status">{progress}</span>}
      </DropZone>
      <FailureNotice error={planning.error} />
      {skipped.length > 0 && (
        <Notice tone="warning" title={plural(skipped.length, 'file was skipped', 'files were skipped')}>
          <ul>
            {skipped.slice(0, 10).map(({ name, why }) => (
              <li key={name}>
                <code>{name}</code> {why}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  )
}
