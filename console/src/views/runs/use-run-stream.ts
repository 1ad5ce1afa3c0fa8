import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { runKey } from '../../data/runs.ts'
import { useSession } from '../../session/session.tsx'

/** Events within this time are reported together. */
const gatherMilliseconds = 250

/**
 * Follows a run and reloads its data when something happened. Returns the text that the model is producing now; the messages have
 * it once the step has finished.
 */
export const useRunStream = (id: string, isOn: boolean): string => {
  const session = useSession()
  const queries = useQueryClient()
  const [live, setLive] = useState('')
  useEffect(() => {
    if (!isOn) return
    const over = new AbortController()
    let said = ''
    let timer: ReturnType<typeof setTimeout> | undefined
    const notify = () => {
      timer = undefined
      setLive(said)
      void queries.invalidateQueries({ queryKey: runKey(session, id) })
    }
    const follow = async () => {
      for await (const part of session.client.runs.stream(id, { signal: over.signal })) {
        if (part.type === 'text-delta') said += part.delta
        else if (part.type === 'start-step' || part.type === 'reset-step') said = ''
        timer ??= setTimeout(notify, gatherMilliseconds)
      }
    }
    // A stream that fails is retried from time to time; the page shows the result.
    follow().catch(() => undefined)
    return () => {
      over.abort()
      clearTimeout(timer)
    }
  }, [id, isOn, session, queries])
  return isOn ? live : ''
}
