import type { Artifact } from '@noema/contracts/artifacts.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { Loading } from '../../components/loading.tsx'
import { toFileName } from '../../data/files.ts'
import { useBrainList } from '../../data/use-names.ts'
import { StagedNotice } from '../../items/staged-notice.tsx'
import { useSession } from '../../session/session.tsx'

type Staged = { handle: string; change: string }
type ChoiceProps = {
  file: Artifact
  handles: readonly string[]
  onStaged: (staged: Staged) => void
  onClose: () => void
}

const BrainChoice = ({ file, handles, onStaged, onClose }: ChoiceProps) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const form = useContractForm({
    initial: { handle: handles[0] ?? '' },
    toBody: ({ handle }) => handle,
    submit: async (handle) => {
      const body = { artifact: file.id, artifactVersion: file.version }
      const { outcome, change, document } = await client.brain(handle).documents.put(file.path, body)
      await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] })
      if (outcome === 'staged') onStaged({ handle, change: change.id })
      else await navigate({ to: '/brains/$handle/documents/$id', params: { handle, id: document.id } })
    },
  })
  return (
    <Form form={form} submit="Add document" onCancel={onClose}>
      <form.Select label="Brain" name="handle" options={handles.map((handle) => ({ value: handle, name: handle }))} />
      <p>
        The text of version {file.version} becomes the document <code>{file.path}</code>. If there is one with this id,
        it gets a new version. Everyone who reads the Brain can read it.
      </p>
    </Form>
  )
}

/** Makes a document of a Brain from the text of a file, and leads to it unless it waits for review. */
export const AddToBrain = ({ file, onClose }: { file: Artifact; onClose: () => void }) => {
  const brains = useBrainList()
  const [staged, setStaged] = useState<Staged>()
  return (
    <Dialog isOpen title={`Add ${toFileName(file.path)} to a Brain`} onClose={onClose} size="small">
      {staged && <StagedNotice what="The document" {...staged} />}
      {!brains && <Loading />}
      {brains?.length === 0 && (
        <p>
          There is no Brain yet. <Link to="/brains">Create one</Link> first.
        </p>
      )}
      {!staged && brains && brains.length > 0 && (
        <BrainChoice file={file} handles={brains.map(({ handle }) => handle)} onStaged={setStaged} onClose={onClose} />
      )}
    </Dialog>
  )
}
