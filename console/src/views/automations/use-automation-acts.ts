import type { Schedule } from '@noema/contracts/schedules.ts'
import type { Trigger } from '@noema/contracts/triggers.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { automationsKey } from '../../data/automations.ts'
import { useSession } from '../../session/session.tsx'

type Enabled = { id: string; enabled: boolean }

/** Reloads triggers, schedules and their notifications. */
export const useAutomationsRefresh = () => {
  const session = useSession()
  const queries = useQueryClient()
  return async () => {
    const { id } = session.organization
    await queries.invalidateQueries({ queryKey: automationsKey(session) })
    await queries.invalidateQueries({ queryKey: [id, 'notifications'] })
  }
}

/** The actions for triggers. Each reloads the triggers. */
export const useTriggerActs = () => {
  const { client } = useSession()
  const refresh = useAutomationsRefresh()
  const enabling = useMutation({
    mutationFn: ({ id, enabled }: Enabled) => client.triggers.patch(id, { enabled }),
    onSettled: refresh,
    meta: { failure: 'The trigger could not be changed' },
  })
  return {
    setEnabled: ({ id }: Trigger, enabled: boolean) => enabling.mutate({ id, enabled }),
    remove: async ({ id }: Trigger) => {
      await client.triggers.delete(id)
      await refresh()
    },
  }
}

/** The actions for schedules. Each reloads the schedules. */
export const useScheduleActs = () => {
  const { client } = useSession()
  const refresh = useAutomationsRefresh()
  const enabling = useMutation({
    mutationFn: ({ id, enabled }: Enabled) => client.schedules.patch(id, { enabled }),
    onSettled: refresh,
    meta: { failure: 'The schedule could not be changed' },
  })
  return {
    setEnabled: ({ id }: Schedule, enabled: boolean) => enabling.mutate({ id, enabled }),
    remove: async ({ id }: Schedule) => {
      await client.schedules.delete(id)
      await refresh()
    },
  }
}
