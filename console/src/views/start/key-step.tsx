import { MintKeyForm } from '../../account/mint-key-form.tsx'
import { PasteKeyForm } from '../../account/paste-key-form.tsx'
import { NewSecret } from '../../account/secret.tsx'
import { mintKeyCode } from '../../code/examples.ts'
import { ViewAsCode } from '../../components/code-tabs.tsx'
import { baseUrl, useWorkspace } from '../../session/workspace.tsx'
import { Step } from './step.tsx'

const UnlockWithKey = () => (
  <>
    <p>Your code calls Noema with a management key. It can do everything in this organization’s Brains.</p>
    <MintKeyForm />
    <details className="aside">
      <summary>Use an existing key</summary>
      <PasteKeyForm />
    </details>
  </>
)

export const KeyStep = () => {
  const { key, user, organization } = useWorkspace()
  return (
    <Step place={2} title="Mint a management key" state={key ? 'done' : 'now'}>
      {!key && <UnlockWithKey />}
      {key && (
        <>
          <p className="step-told">
            {key.name && <strong>{key.name} </strong>}
            <code>{key.secret.slice(0, 8)}…</code> is in this page’s memory
          </p>
          <NewSecret />
        </>
      )}
      <ViewAsCode
        example={mintKeyCode({
          baseUrl,
          organizationId: organization.id,
          email: user.email,
          name: key?.name ?? 'first-key',
        })}
      />
    </Step>
  )
}
