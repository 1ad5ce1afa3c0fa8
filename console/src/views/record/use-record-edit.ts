import type { BrainRecord } from '@noema/contracts/records.ts'
import { ConflictError } from '@noema/sdk/errors.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { recordQuery } from '../../data/records.ts'
import { useSession } from '../../session/session.tsx'
import { type Difference, diffVersions } from './version-diff.ts'

type Fields = BrainRecord['fields']

/** The outcome of an edit: applied, pending as a change, or in conflict with a newer version. */
export type EditOutcome =
  | { what: 'landed' }
  | { what: 'staged'; change: string }
  | { what: 'conflict'; fields: Fields; version: number; differences: Difference[] }

type Edit = { fields: Fields; version: number }

/** Edits fields of a record based on the shown version. A newer version is never overwritten unnoticed. */
export const useRecordEdit = (handle: string, record: BrainRecord) => {
  const session = useSession()
  const cache = useQueryClient()
  const [outcome, setOutcome] = useState<EditOutcome | undefined>(undefined)

  const findConflict = async ({ fields }: Edit): Promise<EditOutcome> => {
    const options = recordQuery(session, handle, record.id)
    const current = await cache.fetchQuery({ ...options, staleTime: 0 })
    return {
      ...{ what: 'conflict', fields, version: current.record.version },
      differences: diffVersions(record, current.record),
    }
  }

  const mutation = useMutation({
    mutationFn: async (edit: Edit): Promise<EditOutcome> => {
      const { client } = session
      try {
        const options = { ifMatch: edit.version }
        const written = await client.brain(handle).records.patch(record.id, { fields: edit.fields }, options)
        return written.outcome === 'staged' ? { what: 'staged', change: written.change.id } : { what: 'landed' }
      } catch (error) {
        if (error instanceof ConflictError && error.code === 'stale_version') return findConflict(edit)
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
    save: (fields: Fields, version = record.version) => mutation.mutateAsync({ fields, version }),
    clear: () => {
      setOutcome(undefined)
      mutation.reset()
    },
  }
}

export type RecordEdit = ReturnType<typeof useRecordEdit>
