import type { Run } from '@noema/contracts/runs.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { hasEnded, runKey } from '../../data/runs.ts'
import { useSession } from '../../session/session.tsx'

/** Events within this time are reported together. */
const gatherMilliseconds = 250
/** A page that opens as its run ends may have read the parts of the run before the end, and the run after it. */
const recentMilliseconds = 60_000

const endedRecently = ({ completedAt }: Run): boolean =>
  completedAt !== null && Math.abs(Date.now() - Date.parse(completedAt)) < recentMilliseconds

/**
 * Follows a run and reloads its data when something happened, and once after its end. Returns the text that the model is producing now; the messages have
 * it once the step has finished.
 */
export const useRunStream = (run: Run): string => {
  const { runId: id } = run
  const isOn = !hasEnded(run)
  const [isStale] = useState(() => endedRecently(run))
  const session = useSession()
  const queries = useQueryClient()
  const [live, setLive] = useState('')
  useEffect(() => {
    const reload = () => void queries.invalidateQueries({ queryKey: runKey(session, id) })
    if (!isOn && isStale) reload()
    if (!isOn) return
    const over = new AbortController()
    let said = ''
    let timer: ReturnType<typeof setTimeout> | undefined
    const notify = () => {
      timer = undefined
      setLive(said)
      reload()
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
      reload()
    }
  }, [id, isOn, isStale, session, queries])
  return isOn ? live : ''
}
