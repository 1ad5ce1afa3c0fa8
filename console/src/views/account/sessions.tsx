import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { useAction } from '../../components/use-action.ts'
import { endOtherSessions, endSession, type OpenSession, sessionsQuery } from '../../data/account.ts'
import { FreshNotice } from './fresh-notice.tsx'

/** If a user agent names two of them, the first one is correct. */
const browsers = [
  ['Firefox', 'Firefox'],
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const
const systems = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'] as const

/** The browser and the operating system of a user agent, if it names them. */
const describeAgent = (agent: string): string => {
  const [, browser = 'Another program'] = browsers.find(([name]) => agent.includes(name)) ?? []
  const system = systems.find((name) => agent.includes(name))
  return [browser, ...(system ? [system] : [])].join(' on ')
}

const SessionLine = ({ session, onEnd }: { session: OpenSession; onEnd: (id: string) => void }) => {
  const name = describeAgent(session.agent)
  return (
    <li>
      <span className="line-main">
        <strong>{name}</strong>
        <span className="muted">
          {session.network || 'unknown network'} · signed in <Time iso={session.createdAt} />
        </span>
      </span>
      {session.isHere ? (
        <Badge tone="accent">Current</Badge>
      ) : (
        <Button size="small" tone="quiet" onClick={() => onEnd(session.id)} aria-label={`End ${name}`}>
          End
        </Button>
      )}
    </li>
  )
}

/** The sessions of the account, and how to sign them out. */
export const Sessions = () => {
  const queries = useQueryClient()
  const { data, error } = useQuery(sessionsQuery())
  const {
    run,
    isRunning,
    error: failure,
  } = useAction(async (id?: string) => {
    await (id === undefined ? endOtherSessions() : endSession(id))
    await queries.invalidateQueries(sessionsQuery())
  })
  return (
    <Panel
      title="Sessions"
      actions={
        data &&
        data.length > 1 && (
          <Button size="small" isBusy={isRunning} onClick={() => void run()}>
            Sign out all others
          </Button>
        )
      }
    >
      <FreshNotice
        error={error ?? failure}
        purpose="see your sessions"
        onFresh={() => queries.invalidateQueries({ queryKey: ['account'] })}
      />
      {!data && !error && <Skeleton lines={2} />}
      {data && (
        <ul className="lines">
          {data.map((session) => (
            <SessionLine key={session.id} session={session} onEnd={(id) => void run(id)} />
          ))}
        </ul>
      )}
    </Panel>
  )
}
