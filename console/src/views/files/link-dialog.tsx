import type { Artifact } from '@noema/contracts/artifacts.ts'
import { useState } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { Time } from '../../components/time.tsx'
import { toFileName } from '../../data/files.ts'
import { useSession } from '../../session/session.tsx'

const durations = [
  { value: '600', name: '10 minutes' },
  { value: '1800', name: '30 minutes' },
  { value: '3600', name: 'An hour' },
] as const

type MadeLink = { url: string; expiresAt: string }

const Made = ({ link: { url, expiresAt } }: { link: MadeLink }) => (
  <div className="secret">
    <code className="secret-text" data-testid="link">
      {url}
    </code>
    <p>
      It ends <Time iso={expiresAt} />, or when the file is deleted or your membership ends.
    </p>
    <div className="actions">
      <CopyButton text={url} what="the link" />
    </div>
  </div>
)

/** Makes a link by which anyone downloads this version of a file for a while. */
export const LinkDialog = ({ file: { id, path, version }, onClose }: { file: Artifact; onClose: () => void }) => {
  const { client } = useSession()
  const [link, setLink] = useState<MadeLink>()
  const form = useContractForm({
    initial: { seconds: '600' as (typeof durations)[number]['value'] },
    toBody: ({ seconds }) => ({ expiresInSeconds: Number(seconds), version }),
    submit: async (body) => setLink((await client.artifacts.link(id, body)).link),
  })
  return (
    <Dialog isOpen title={`Link to ${toFileName(path)}`} onClose={onClose} size="small">
      {link ? (
        <Made link={link} />
      ) : (
        <Form form={form} submit="Create link" onCancel={onClose}>
          <p>Anyone who has the link can download version {version} without signing in.</p>
          <form.Select label="Works for" name="seconds" options={durations} />
        </Form>
      )}
    </Dialog>
  )
}
