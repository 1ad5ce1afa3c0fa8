import type { Brain } from '@noema/contracts/brains.ts'
import { useCallback } from 'react'
import { Link, navigate, withQuery } from '../../address.tsx'
import { baseUrl } from '../../base-path.ts'
import { putBrainCode } from '../../code/examples.ts'
import { ViewAsCode } from '../../components/code.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { useLoaded } from '../../components/use-loaded.ts'
import { useSession } from '../../session/session.tsx'
import { MakeBrainForm } from '../brains/make-brain-form.tsx'
import { Step } from './step.tsx'

const chipsShown = 6
const suggestion = { handle: 'handbook', purpose: 'What the team knows about its work' }

const openBrain = ({ handle }: { handle: string }) => navigate(withQuery({ brain: handle }), { replace: true })

/** The existing Brains, to continue with one of them. */
const ExistingBrains = ({ brains }: { brains: readonly Brain[] }) => {
  if (brains.length === 0) return null
  return (
    <p className="chips">
      Or continue with{' '}
      {brains.slice(0, chipsShown).map(({ handle }) => (
        <Link key={handle} to={withQuery({ brain: handle })} className="chip">
          {handle}
        </Link>
      ))}
    </p>
  )
}

const Chosen = ({ handle }: { handle: string }) => {
  const { client } = useSession()
  const load = useCallback((signal: AbortSignal) => client.brains.get(handle, { signal }), [client, handle])
  const { data, error } = useLoaded(load)
  const other = (
    <Link to={withQuery({ brain: undefined })} className="small">
      Use another
    </Link>
  )
  if (error !== undefined) return <FailureNotice error={error}>{other}</FailureNotice>
  return (
    <>
      <p className="step-result">
        <Link to={`/brains/${handle}`}>{handle}</Link>
        {data?.brain.purpose && <>, {data.brain.purpose}</>} · {other}
      </p>
      <ViewAsCode example={putBrainCode({ baseUrl, handle }, data?.brain.purpose ?? undefined)} />
    </>
  )
}

const ToMake = () => {
  const { client } = useSession()
  const load = useCallback((signal: AbortSignal) => client.brains.list({ limit: chipsShown }, { signal }), [client])
  const { data } = useLoaded(load)
  return (
    <>
      <p>A Brain is one knowledge store: records, statements, documents, and one stream of events.</p>
      <MakeBrainForm onMade={openBrain} suggestion={suggestion} />
      <ExistingBrains brains={data?.brains ?? []} />
    </>
  )
}

export const BrainStep = ({ handle }: { handle: string | undefined }) => (
  <Step number={2} title="Create a Brain" state={handle ? 'done' : 'now'}>
    {handle ? <Chosen handle={handle} /> : <ToMake />}
  </Step>
)
