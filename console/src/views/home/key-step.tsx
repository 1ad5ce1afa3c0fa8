import type { Capability } from '@noema/contracts/access.ts'
import { useState } from 'react'
import { baseUrl } from '../../base-path.ts'
import { mintBrainKeyCode } from '../../code/examples.ts'
import { ViewAsCode } from '../../components/code.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { NewSecret } from '../../components/secret.tsx'
import { useSession } from '../../session/session.tsx'
import { Step } from './step.tsx'

type Minted = { name: string; prefix: string; secret: string | undefined }
type ToMintProps = { handle: string; onMinted: (key: Minted) => void }

const ToMint = ({ handle, onMinted }: ToMintProps) => {
  const { client } = useSession()
  const form = useContractForm({
    initial: { name: 'first-agent' },
    contract: async () => (await import('@noema/contracts/keys.ts')).mintBrainKey.body,
    toBody: ({ name }) => ({ name: name.trim(), capabilities: ['read', 'write'] as Capability[] }),
    submit: async (body) => {
      const { key, secret } = await client.brain(handle).keys.mint(body)
      onMinted({ name: key.name, prefix: key.prefix, secret: secret ?? undefined })
    },
  })
  return (
    <>
      <p>Your code calls this Brain with its own key, which can read and write this Brain only.</p>
      <Form form={form} submit="Mint key">
        <form.Text label="Name" name="name" required autoComplete="off" />
      </Form>
    </>
  )
}

/** Mints a key for the code that writes to the Brain. The console itself uses the session. */
export const KeyStep = ({ handle }: { handle: string | undefined }) => {
  const { user, organization } = useSession()
  const [minted, setMinted] = useState<Minted>()
  const waiting = handle === undefined ? 'later' : 'now'
  return (
    <Step number={3} title="Mint a key for your code" state={minted ? 'done' : waiting}>
      {handle !== undefined && !minted && <ToMint handle={handle} onMinted={setMinted} />}
      {minted && (
        <p className="step-result">
          <strong>{minted.name}</strong> <code>{minted.prefix}…</code> can read and write
        </p>
      )}
      {minted?.secret !== undefined && (
        <NewSecret secret={minted.secret} onKept={() => setMinted({ ...minted, secret: undefined })} />
      )}
      {handle !== undefined && (
        <ViewAsCode
          example={mintBrainKeyCode({
            baseUrl,
            handle,
            organizationId: organization.id,
            email: user.email,
            name: minted?.name ?? 'first-agent',
          })}
        />
      )}
    </Step>
  )
}
