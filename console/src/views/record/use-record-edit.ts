import type { BrainRecord } from '@noema/contracts/records.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isStaleVersion } from '../../components/use-versioned-save.ts'
import { recordQuery } from '../../data/records.ts'
import { useSession } from '../../session/session.tsx'
import { type Difference, diffVersions } from './version-diff.ts'

type Fields = BrainRecord['fields']

/** The outcome of an edit: applied, pending as a change, or in conflict with a newer version. */
export type EditOutcome =
  | { what: 'landed' }
  | { what: 'staged'; change: string }
  | { what: 'conflict'; fields: Fields; current: BrainRecord; differences: Difference[] }

/** New fields, and the record as it was when the person began to edit it. */
type Edit = { fields: Fields; opened: BrainRecord }

/** Edits fields of a record based on the version that the person opened. A newer version is never overwritten unnoticed. */
export const useRecordEdit = (handle: string, id: string) => {
  const session = useSession()
  const cache = useQueryClient()
  const [outcome, setOutcome] = useState<EditOutcome | undefined>(undefined)

  const findConflict = async ({ fields, opened }: Edit): Promise<EditOutcome> => {
    const options = recordQuery(session, handle, id)
    const { record: current } = await cache.fetchQuery({ ...options, staleTime: 0 })
    return { what: 'conflict', fields, current, differences: diffVersions(opened, current) }
  }

  const mutation = useMutation({
    mutationFn: async (edit: Edit): Promise<EditOutcome> => {
      const { client } = session
      try {
        const options = { ifMatch: edit.opened.version }
        const written = await client.brain(handle).records.patch(id, { fields: edit.fields }, options)
        return written.outcome === 'staged' ? { what: 'staged', change: written.change.id } : { what: 'landed' }
      } catch (error) {
        if (isStaleVersion(error)) return findConflict(edit)
        throw error
      }
    },
    onSuccess: async (result) => {
      setOutcome(result)
      if (result.what !== 'conflict')
        await cache.invalidateQueries({ queryKey: [session.organization.id, 'brain', handle] })
    },
  })

  return {
    outcome,
    error: mutation.error ?? undefined,
    isSaving: mutation.isPending,
    save: (fields: Fields, opened: BrainRecord) => mutation.mutateAsync({ fields, opened }),
    clear: () => {
      setOutcome(undefined)
      mutation.reset()
    },
  }
}

export type RecordEdit = ReturnType<typeof useRecordEdit>
