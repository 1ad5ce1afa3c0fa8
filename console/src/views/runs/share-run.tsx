import type { Run } from '@noema/contracts/runs.ts'
import type { RunShare, SharedPart } from '@noema/contracts/shared-runs.ts'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { Time } from '../../components/time.tsx'
import { plural } from '../../plural.ts'
import { type Session, useSession } from '../../session/session.tsx'

const day = 86_400_000

const durations = [
  { value: '1', name: 'A day' },
  { value: '7', name: '7 days' },
  { value: '30', name: '30 days' },
  { value: '90', name: '90 days' },
] as const

const parts: readonly { name: SharedPart; label: string }[] = [
  { name: 'input', label: 'The question' },
  { name: 'citations', label: 'Titles and addresses of sources' },
  { name: 'messages', label: 'All messages of people and the model' },
  { name: 'operations', label: 'Names of the calls, without their data' },
]

const sharesQuery = ({ client, organization }: Session, runId: string) =>
  queryOptions({
    queryKey: [organization.id, 'shares of run', runId],
    queryFn: async ({ signal }) => {
      const { shares } = await client.sharedRuns.list({ runId, order: 'desc', limit: 100 }, { signal })
      return shares.filter(({ revokedAt, expiresAt }) => revokedAt === null && Date.parse(expiresAt) > Date.now())
    },
  })

const Made = ({ url }: { url: string }) => (
  <div className="secret">
    <code className="secret-text" data-testid="link">
      {url}
    </code>
    <p>This address is shown only now.</p>
    <div className="actions">
      <CopyButton text={url} what="the link" />
    </div>
  </div>
)

/** The links to the run that work, each with a button that ends it. */
const Links = ({ runId }: { runId: string }) => {
  const session = useSession()
  const cache = useQueryClient()
  const { data = [] } = useQuery(sharesQuery(session, runId))
  if (data.length === 0) return null
  const revoke = async ({ id }: RunShare) => {
    await session.client.sharedRuns.revoke(id)
    await cache.invalidateQueries({ queryKey: sharesQuery(session, runId).queryKey })
  }
  return (
    <section aria-label="Links that work">
      <h3>Links that work</h3>
      <div className="stack">
        {data.map((share) => (
          <div key={share.id} className="actions">
            <span>
              {plural(share.views, 'view')}, ends <Time iso={share.expiresAt} />
            </span>
            <ConfirmButton
              label="Revoke"
              title="Revoke this link?"
              confirm="Revoke link"
              onConfirm={() => revoke(share)}
            >
              <p>Its page is gone at once, for everyone who has the address.</p>
            </ConfirmButton>
          </div>
        ))}
      </div>
    </section>
  )
}

type Chosen = Record<SharedPart, boolean>

const ShareForm = ({ runId, onClose }: { runId: string; onClose: () => void }) => {
  const session = useSession()
  const cache = useQueryClient()
  const [url, setUrl] = useState<string>()
  const form = useContractForm({
    initial: {
      days: '7' as (typeof durations)[number]['value'],
      ...({ input: true, citations: true, messages: false, operations: false } satisfies Chosen),
    },
    toBody: ({ days, ...chosen }) => ({
      expiresAt: new Date(Date.now() + Number(days) * day - 60_000).toISOString(),
      include: parts.flatMap(({ name }) => (chosen[name] ? [name] : [])),
    }),
    submit: async (body) => {
      setUrl((await session.client.runs.share(runId, body)).url)
      await cache.invalidateQueries({ queryKey: sharesQuery(session, runId).queryKey })
    },
  })
  if (url !== undefined) return <Made url={url} />
  return (
    <Form form={form} submit="Create link" onCancel={onClose}>
      <p>Anyone who has the link can read the answer of this run without signing in, and the parts that you choose.</p>
      {parts.map(({ name, label }) => (
        <form.Checkbox key={name} name={name} label={label} />
      ))}
      <form.Select label="Works for" name="days" options={durations} />
    </Form>
  )
}

/** Shares a run by a link, and shows the links that there are. */
export const ShareRun = ({ run: { runId } }: { run: Run }) => {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Share</Button>
      {isOpen && (
        <Dialog isOpen title="Share this run" onClose={close} size="small">
          <ShareForm runId={runId} onClose={close} />
          <Links runId={runId} />
        </Dialog>
      )}
    </>
  )
}
